// Job queues, one of them, and one job.

import { ask, button, run } from "./actions.js";
import { post } from "./api.js";
import { jobsHref } from "./attention.js";
import { chart } from "./charts.js";
import { NO_JOBS, jobColumns, tile } from "./columns.js";
import { card, fill, h, nothing, pill, say, setPill, table } from "./dom.js";
import { ago, count, jobsState, now, plural, rate, span } from "./format.js";
import { jobList, recurringOf, scheduleTable } from "./joblists.js";
import { moreNames, tabsOf } from "./queues.js";
import { course } from "./store.js";

export function jobs() {
  const all = table(jobColumns(), (j) => j.name, { caption: "Job queues", empty: NO_JOBS });
  const workers = table(
    [
      { title: "Worker", get: (w) => ({ text: w.id, cls: "name mono", title: w.id }) },
      {
        title: "Queues",
        get: (w) => ({ text: w.queues.join(", "), cls: "clip", title: w.queues.join(", ") }),
      },
      {
        title: "Types",
        wide: true,
        get: (w) => ({ text: w.types.join(", "), cls: "clip", title: w.types.join(", ") }),
      },
      { title: "Slots", num: true, get: (w) => count(w.slots) },
      { title: "Since", num: true, wide: true, get: (w) => ago(w.startedAt) },
      {
        title: "Seen",
        num: true,
        get: (w) => ({
          text: ago(w.seenAt),
          tone: w.seenAt !== null && now() - w.seenAt > 60000 ? "late" : "",
        }),
      },
    ],
    (w) => w.id,
    {
      caption: "Workers",
      empty: () =>
        nothing(
          "No worker",
          'Workers are part of your program: jobs.worker().queue("reports").handler(…).start()',
        ),
    },
  );
  const recurring = scheduleTable();
  const more = h("div");
  return {
    title: "Jobs",
    node: h(
      "div",
      h(
        "div.head",
        h("div.grow", h("h1", "Jobs"), h("p.sub", "Background jobs with retries, limits and schedules.")),
      ),
      card(null, {}, h("div.pad-top", all.node)),
      more,
      card("Recurring", {}, recurring.node),
      card("Workers", {}, workers.node),
    ),
    update(f) {
      all.update(f.jobs);
      recurring.update(f.schedules);
      workers.update(f.workers);
      moreNames(more, f.more.jobs, (name) => jobsHref(name));
    },
  };
}

const STATES = [
  ["inflight", "Running"],
  ["ready", "Ready"],
  ["scheduled", "Later and retries"],
  ["gated", "Gated"],
  ["dlq", "Dead"],
  ["done", "Done"],
  ["cancelled", "Cancelled"],
  ["recurring", "Recurring"],
];

export function jobQueue(params) {
  const name = params.name;
  const view = STATES.some(([v]) => v === params.show) ? params.show : "inflight";
  const mark = pill("");
  const sub = h("p.sub");
  const buttons = h("div.buttons");
  const ready = tile("Ready", jobsHref(name, "ready"), "accent");
  const running = tile("Running", jobsHref(name, "inflight"), "flow");
  const done = tile("Done per minute", jobsHref(name, "done"), "flow");
  const dead = tile("Dead", jobsHref(name, "dlq"), "");
  const states = chart("Jobs of " + name + " by state", [
    { label: "Ready", colour: "--accent", fill: true },
    { label: "Running", colour: "--flow" },
    { label: "Later", colour: "--faint" },
    { label: "Gated", colour: "--late" },
    { label: "Dead", colour: "--dead" },
  ]);
  const speedChart = chart(
    "Jobs done per minute of " + name,
    [{ label: "Done", colour: "--flow", fill: true }],
    { format: (v) => rate(v) },
  );
  const tabs = h("nav.tabs", { "aria-label": "Lists of this queue" });
  const body = view === "recurring" ? recurringOf(name) : jobList(name, view);
  let wasKey = "";

  function actions(j) {
    const key = String(j.pausedAt !== null) + (j.dead > 0);
    if (wasKey === key) return;
    wasKey = key;
    fill(
      buttons,
      j.pausedAt !== null
        ? button(
            "Resume",
            "admin",
            () => run(() => post("/v1/jobs.queue.resume", { queue: name }), "The queue gives jobs again"),
            ".main",
          )
        : button("Pause", "admin", () =>
            run(
              () => post("/v1/jobs.queue.pause", { queue: name }),
              "The queue is paused: running jobs go on",
            ),
          ),
      j.dead > 0 && button("Requeue all dead", "admin", () => requeueAll(name), ".main"),
      j.dead > 0 && button("Purge dead", "admin", () => purge(name), ".danger"),
    );
  }

  return {
    title: name,
    node: h(
      "div",
      h(
        "div.head",
        h(
          "div.grow",
          h("p.crumb", h("a", { href: "#/jobs" }, "Jobs")),
          h("div.title", h("h1", { dir: "auto" }, name), mark),
          sub,
        ),
        buttons,
      ),
      h("div.grid.tiles", ready.node, running.node, done.node, dead.node),
      h(
        "div.grid.two",
        card("States", { side: states.legend }, states.node),
        card("Done per minute", { side: speedChart.legend }, speedChart.node),
      ),
      card(null, {}, tabs, body.node),
    ),
    update(f) {
      const j = f.jobs.find((x) => x.name === name);
      if (!j) {
        say(sub, "There is no queue of this name, or nothing is in it.");
        return;
      }
      const workers = f.workers.filter((w) => w.queues.includes(name));
      setPill(mark, jobsState(j));
      say(
        sub,
        (workers.length
          ? plural(workers.length, "worker") +
            " with " +
            plural(
              workers.reduce((n, w) => n + w.slots, 0),
              "slot",
            )
          : "No worker serves this queue") +
          (j.oldestAt === null ? "." : ". The oldest ready job waits for " + span(now() - j.oldestAt) + "."),
      );
      actions(j);
      ready.set(
        count(j.ready),
        "",
        plural(j.scheduled, "job") + " later, " + count(j.gated) + " gated",
        course("j:" + name, 0),
      );
      const slots = workers.reduce((n, w) => n + w.slots, 0);
      running.set(
        count(j.running),
        "",
        slots === 0
          ? "no worker"
          : plural(slots, "slot") + (j.running > slots ? ", the rest is fetched ahead" : ""),
        course("j:" + name, 3),
      );
      done.set(
        count(j.finishedLastMinute),
        "",
        count(j.done) + (j.capped ? " or more" : "") + " kept",
        course("j:" + name, 7),
      );
      dead.set(
        count(j.dead),
        "",
        j.oldestDeadAt === null ? "nothing was given up" : "the oldest " + ago(j.oldestDeadAt),
        course("j:" + name, 5),
        j.dead ? "dead" : "",
      );
      states.update([0, 3, 1, 2, 5].map((i) => course("j:" + name, i)));
      speedChart.update([course("j:" + name, 7)]);
      const n = {
        inflight: j.running,
        ready: j.ready,
        scheduled: j.scheduled,
        gated: j.gated,
        dlq: j.dead,
        done: j.done,
        cancelled: null,
        recurring: f.schedules.filter((s) => s.queue === name).length,
      };
      tabsOf(
        tabs,
        STATES.map(([v, label]) => [v, label, n[v]]),
        view,
        (v) => jobsHref(name, v),
      );
      body.update(f);
    },
    close() {
      states.close();
      speedChart.close();
      body.close();
    },
  };
}

async function requeueAll(name) {
  const answer = await ask({
    title: "Requeue the dead jobs of " + name + "?",
    text: "They start with a clean record.",
    fields: [
      { name: "limit", label: "At most", type: "number", value: 1000 },
      { name: "spread", label: "Spread over so many seconds", type: "number", value: 0 },
    ],
    go: "Requeue",
  });
  if (answer)
    await run(
      () =>
        post("/v1/jobs.dlq.requeue", {
          queue: name,
          limit: Number(answer.limit) || 1000,
          spreadMs: (Number(answer.spread) || 0) * 1000,
        }),
      (a) => plural(a.requeued, "job") + " requeued" + (a.more ? ", there are more" : ""),
    );
}

async function purge(name) {
  const sure = await ask({
    title: "Delete the dead jobs of " + name + "?",
    text: "They are gone for good.",
    typed: name,
    go: "Delete",
    danger: true,
  });
  if (sure)
    await run(
      () => post("/v1/jobs.dlq.purge", { queue: name, limit: 10000 }),
      (a) => plural(a.purged, "job") + " deleted" + (a.more ? ", there are more" : ""),
    );
}
