// Lists of jobs, and of what makes them.

import { button, run } from "./actions.js";
import { post } from "./api.js";
import { jobsHref } from "./attention.js";
import { fill, h, nothing, pill, say, setPill, table } from "./dom.js";
import { ago, count, full, left, millis, now, span } from "./format.js";
import { cancel, jobHref, note, progress, requeue } from "./job.js";
import { list } from "./tools.js";

export function scheduleTable() {
  const on = (s, verb, text) => () => run(() => post("/v1/jobs.schedules." + verb, { name: s.name }), text);
  return table(
    [
      { title: "Name", get: (s) => ({ text: s.name, cls: "name", title: s.name }) },
      {
        title: "State",
        make: () => pill(""),
        update: (node, s) =>
          setPill(node, s.enabled ? { text: "On", tone: "flow" } : { text: "Paused", tone: "pause" }),
      },
      { title: "When", get: (s) => ({ text: s.cron + (s.zone === "UTC" ? "" : " " + s.zone), cls: "mono" }) },
      {
        title: "Makes",
        wide: true,
        get: (s) => ({ text: s.type + " in " + s.queue, href: jobsHref(s.queue), cls: "clip" }),
      },
      {
        title: "Next",
        num: true,
        get: (s) => ({ text: s.enabled ? ago(s.nextAt) : "–", title: full(s.nextAt) }),
      },
      {
        title: "Last job",
        num: true,
        wide: true,
        get: (s) =>
          s.lastJobId ? { text: ago(s.lastSlot), href: jobHref(s.lastJobId) } : { text: "–", tone: "faint" },
      },
      {
        title: "",
        act: true,
        make: (s) =>
          h(
            "span",
            button("Run now", "admin", on(s, "trigger", "A job was made now"), ".small"),
            h("span.toggle"),
          ),
        update: (node, s) => {
          const holder = node.lastChild;
          if (holder.dataset.on === String(s.enabled)) return;
          holder.dataset.on = String(s.enabled);
          fill(
            holder,
            " ",
            s.enabled
              ? button("Pause", "admin", on(s, "pause", "The schedule is paused"), ".small")
              : button("Resume", "admin", on(s, "resume", "The schedule fires again"), ".small.main"),
          );
        },
      },
    ],
    (s) => s.name,
    {
      caption: "Recurring jobs",
      empty: () =>
        nothing(
          "No recurring jobs",
          "A schedule makes a job at each of its times, once, however many servers run.",
          "holdfast jobs schedule digest --cron '0 7 * * *' --type digest",
        ),
    },
  );
}

export function recurringOf(name) {
  const t = scheduleTable();
  return { node: t.node, update: (f) => t.update(f.schedules.filter((s) => s.queue === name)), close() {} };
}

const EMPTY = {
  inflight: () => nothing("Nothing runs", "Jobs that a worker holds show up here, with their progress."),
  ready: () =>
    nothing(
      "Nothing is ready",
      "What is enqueued now shows up here until a worker takes it.",
      "holdfast enqueue report",
    ),
  scheduled: () =>
    nothing("Nothing waits for its time", "Jobs for later, and retries to come, show up here."),
  gated: () => nothing("Nothing is gated", "Jobs that wait for a free slot of their limit key show up here."),
  dlq: () =>
    nothing("Nothing was given up", "Jobs that failed for the last time show up here, with their error."),
  done: () => nothing("Nothing is kept", "Finished jobs stay for as long as the queue keeps them."),
  cancelled: () => nothing("Nothing was cancelled", "Cancelled jobs can be requeued from here."),
};

export function jobList(name, view) {
  const columns = [
    { title: "Job", get: (j) => ({ text: j.id, href: jobHref(j.id), cls: "mono clip", title: j.id }) },
    { title: "Type", get: (j) => ({ text: j.type, cls: "clip", title: j.type }) },
  ];
  if (view === "inflight") {
    columns.push(
      {
        title: "Progress",
        make: () => h("span.bar-of", h("span.meter", h("i")), h("span.hint")),
        update: (node, j) => {
          const percent = progress(j);
          node.firstChild.hidden = percent === null;
          node.firstChild.firstChild.style.width = (percent || 0) + "%";
          say(node.lastChild, percent === null ? "–" : percent + " %" + (note(j) ? ", " + note(j) : ""));
        },
      },
      {
        title: "Worker",
        wide: true,
        get: (j) => ({
          text: (j.lease && j.lease.owner) || "–",
          cls: "clip mono",
          title: (j.lease && j.lease.owner) || "",
        }),
      },
      {
        title: "Lease",
        num: true,
        get: (j) => ({
          text: j.lease ? left(millis(j.lease.expiresAt)) : "–",
          tone: j.lease && millis(j.lease.expiresAt) < now() ? "late" : "",
        }),
      },
    );
  } else if (view === "scheduled") {
    columns.push(
      {
        title: "Runs",
        num: true,
        get: (j) => ({ text: ago(millis(j.runAt)), title: full(millis(j.runAt)) }),
      },
      {
        title: "Last error",
        wide: true,
        get: (j) => ({
          text: j.lastError || "–",
          cls: "clip",
          title: j.lastError,
          tone: j.lastError ? "" : "faint",
        }),
      },
    );
  } else if (view === "dlq") {
    columns.push(
      {
        title: "Error",
        get: (j) => ({
          text: j.lastError || j.dlqReason || "–",
          cls: "clip",
          title: j.lastError || j.dlqReason,
        }),
      },
      {
        title: "Given up",
        num: true,
        get: (j) => ({ text: ago(millis(j.dlqFailedAt)), title: full(millis(j.dlqFailedAt)) }),
      },
    );
  } else if (view === "done" || view === "cancelled") {
    columns.push(
      {
        title: "Took",
        num: true,
        wide: true,
        get: (j) => (millis(j.finishedAt) === null ? "–" : span(millis(j.finishedAt) - millis(j.createdAt))),
      },
      {
        title: "Finished",
        num: true,
        get: (j) => ({ text: ago(millis(j.finishedAt)), title: full(millis(j.finishedAt)) }),
      },
    );
  } else {
    columns.push(
      view === "gated"
        ? { title: "Limit", get: (j) => ({ text: j.limitKey || "–", cls: "clip" }) }
        : { title: "Priority", num: true, wide: true, get: (j) => String(j.priority || 0) },
      {
        title: "Waits for",
        num: true,
        get: (j) => ({ text: span(now() - millis(j.createdAt)), title: full(millis(j.createdAt)) }),
      },
    );
  }
  columns.push({
    title: "Failures",
    num: true,
    wide: true,
    get: (j) => ({
      text: count(j.attempts) + (j.maxAttempts ? " of " + j.maxAttempts : ""),
      tone: j.attempts ? "late" : "faint",
    }),
  });
  columns.push({
    title: "",
    act: true,
    make: (j) =>
      h(
        "span",
        h("a.btn.small", { href: jobHref(j.id) }, "Why?"),
        ["dlq", "cancelled", "scheduled"].includes(view) &&
          button(
            view === "scheduled" ? "Run now" : "Requeue",
            "admin",
            async () => {
              await requeue(j.id);
              rows.refresh();
            },
            ".small.main",
          ),
        ["inflight", "ready", "scheduled", "gated"].includes(view) &&
          button(
            "Cancel",
            "admin",
            async () => {
              await cancel(j.id);
              rows.refresh();
            },
            ".small.danger",
          ),
      ),
  });
  const rows = list(
    columns,
    (j) => j.id,
    EMPTY[view],
    async () => (await post("/v1/jobs.list", { queue: name, state: view, limit: 100 })).jobs,
  );
  return rows;
}
