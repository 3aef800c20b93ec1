// What flows, what is late, what is stuck.

import { attention, oldest } from "./attention.js";
import { chart } from "./charts.js";
import {
  NO_JOBS,
  NO_LOCKS,
  NO_QUEUES,
  NO_STREAMS,
  jobColumns,
  lockColumns,
  queueColumns,
  smooth,
  streamColumns,
  tile,
} from "./columns.js";
import { card, fill, h, pill, say, table } from "./dom.js";
import { LATE_MS, count, jobsState, now, plural, queueState, rate, span, streamState } from "./format.js";
import { course, most, rateNow, speed, total } from "./store.js";

const flows = (f) => [
  ...f.queues.map((q) => ["q:" + q.name, 7]),
  ...f.streams.map((s) => ["s:" + s.name, 6]),
];

function jobsPerSecond(f) {
  return f.jobs.reduce((sum, j) => sum + j.finishedLastMinute, 0) / 60;
}

export function overview() {
  const line = h("p.sub");
  const title = h("h1", "Overview");
  const flowing = tile("Flowing", "#/queues", "flow");
  const waiting = tile("Waiting", "#/queues", "accent");
  const late = tile("Oldest waiting", "#/queues", "");
  const stuck = tile("Stuck and dead", "#/", "");
  const look = h("ul.look");
  const lookCard = card("Needs a look", {}, look);
  const flowChart = chart(
    "Finished per second",
    [
      { label: "Queues", colour: "--accent", fill: true },
      { label: "Streams", colour: "--flow", fill: true },
    ],
    { format: (v) => rate(v), stacked: true },
  );
  const depthChart = chart("Waiting", [
    { label: "Queues", colour: "--accent" },
    { label: "Streams", colour: "--flow" },
    { label: "Jobs", colour: "--late" },
  ]);
  const queues = table(queueColumns(), (q) => q.name, { caption: "Queues", empty: NO_QUEUES });
  const streams = table(streamColumns(), (s) => s.name, { caption: "Streams", empty: NO_STREAMS });
  const jobs = table(jobColumns(), (j) => j.name, { caption: "Jobs", empty: NO_JOBS });
  const locks = table(lockColumns(), (l) => l.keyHash, { caption: "Locks", empty: NO_LOCKS });
  const links = ["queues", "streams", "jobs", "locks"].map((name) =>
    h("a.hint", { href: "#/" + name }, "All"),
  );
  const node = h(
    "div",
    h("div.head", h("div.grow", title, line)),
    h("div.grid.tiles", flowing.node, waiting.node, late.node, stuck.node),
    lookCard,
    h(
      "div.grid.two",
      card("Finished per second", { side: flowChart.legend }, flowChart.node),
      card("Waiting", { side: depthChart.legend }, depthChart.node),
    ),
    card("Queues", { side: links[0] }, queues.node),
    card("Streams", { side: links[1] }, streams.node),
    card("Jobs", { side: links[2] }, jobs.node),
    card("Locks", { side: links[3] }, locks.node),
  );

  return {
    node,
    title: "Overview",
    update(f) {
      const found = attention(f);
      const serious = found.filter((x) => x.tone !== "pause").length;
      const names = f.queues.length + f.streams.length + f.jobs.length;
      say(
        line,
        names === 0
          ? "Nothing here yet. Everything below says how to begin."
          : serious === 0
            ? "Everything flows."
            : plural(serious, "thing") + (serious === 1 ? " needs" : " need") + " a look.",
      );
      const perSecond = flows(f).reduce((sum, [key, i]) => sum + rateNow(key, i), 0) + jobsPerSecond(f);
      const flowCourses = flows(f).map(([key, i]) => speed(key, i));
      flowing.set(
        rate(perSecond),
        "per second",
        plural(
          f.jobs.reduce((n, j) => n + j.finishedLastMinute, 0),
          "job",
        ) + " done in the last minute",
        smooth(total(flowCourses)),
        perSecond > 0 ? "flow" : "",
      );
      const queueDepth = f.queues.filter((q) => !q.deadOf.length).map((q) => course("q:" + q.name, 0));
      const streamDepth = f.streams.map((s) => course("s:" + s.name, 0));
      const jobDepth = f.jobs.map((j) => course("j:" + j.name, 0));
      const ready =
        f.queues.filter((q) => !q.deadOf.length).reduce((n, q) => n + q.ready, 0) +
        f.streams.reduce((n, s) => n + s.depth, 0) +
        f.jobs.reduce((n, j) => n + j.ready, 0);
      const held =
        f.queues.reduce((n, q) => n + q.leased, 0) +
        f.streams.reduce((n, s) => n + s.leased, 0) +
        f.jobs.reduce((n, j) => n + j.running, 0);
      waiting.set(
        count(ready),
        "",
        count(held) + " being worked on",
        total([...queueDepth, ...streamDepth, ...jobDepth]),
      );
      const first = oldest(f);
      const age = first ? now() - first[0] : 0;
      late.set(
        first ? span(age) : "–",
        "",
        first ? first[1] : "nothing waits",
        most([
          ...f.queues.filter((q) => !q.deadOf.length).map((q) => course("q:" + q.name, 4)),
          ...f.streams.map((s) => course("s:" + s.name, 4)),
          ...f.jobs.map((j) => course("j:" + j.name, 6)),
        ]),
        first && age > LATE_MS ? "late" : "",
      );
      if (first) late.link(first[2]);
      const stuckCount =
        f.streams.reduce((n, s) => n + s.stuck, 0) +
        f.queues.filter((q) => q.partitions.some((p) => p.failures > 0)).length;
      const dead =
        f.queues.filter((q) => q.deadOf.length).reduce((n, q) => n + q.ready + q.leased, 0) +
        f.streams.reduce((n, s) => n + s.dead, 0) +
        f.jobs.reduce((n, j) => n + j.dead, 0);
      const worst = found.find((x) => x.tone === "stuck") || found.find((x) => x.tone === "dead");
      stuck.set(
        count(stuckCount + dead),
        "",
        stuckCount + " stuck, " + count(dead) + " given up",
        total([
          ...f.queues.filter((q) => q.deadOf.length).map((q) => course("q:" + q.name, 0)),
          ...f.streams.map((s) => course("s:" + s.name, 3)),
          ...f.jobs.map((j) => course("j:" + j.name, 5)),
        ]),
        stuckCount ? "stuck" : dead ? "dead" : "",
      );
      if (worst) stuck.link(worst.href);
      lookCard.hidden = found.length === 0;
      lookList(look, found.slice(0, 8));
      flowChart.update([
        smooth(total(f.queues.map((q) => speed("q:" + q.name, 7)))),
        smooth(total(f.streams.map((s) => speed("s:" + s.name, 6)))),
      ]);
      depthChart.update([total(queueDepth), total(streamDepth), total(jobDepth)]);
      queues.update(first8(f.queues, queueState, (q) => q.ready + q.leased));
      streams.update(first8(f.streams, streamState, (s) => s.depth + s.leased));
      jobs.update(first8(f.jobs, jobsState, (j) => j.ready + j.running));
      locks.update(f.locks.holders.slice(0, SHOWN));
      [f.queues, f.streams, f.jobs, f.locks.holders].forEach((all, i) =>
        say(links[i], all.length > SHOWN ? "All " + all.length : "All"),
      );
    },
    close() {
      flowChart.close();
      depthChart.close();
    },
  };
}

const SHOWN = 8;

const RANKS = ["stuck", "late", "dead", "pause", "flow"];

/** Those that need a look or have most to do; in the order of their names. */
function first8(all, stateOf, size) {
  if (all.length <= SHOWN) return all;
  const rank = (x) => {
    const i = RANKS.indexOf(stateOf(x).tone);
    return i < 0 ? RANKS.length : i;
  };
  return [...all]
    .sort((a, b) => rank(a) - rank(b) || size(b) - size(a))
    .slice(0, SHOWN)
    .sort((a, b) => a.name.localeCompare(b.name));
}

const shown = new WeakMap();

function lookList(list, found) {
  const key = JSON.stringify(found.map((x) => [x.label, x.name, x.what]));
  if (shown.get(list) === key) return;
  shown.set(list, key);
  fill(
    list,
    found.map((x) =>
      h(
        "li",
        pill(x.label, x.tone),
        h("a.grow", { href: x.href }, h("b", { dir: "auto" }, x.name), " – ", x.what),
      ),
    ),
  );
}
