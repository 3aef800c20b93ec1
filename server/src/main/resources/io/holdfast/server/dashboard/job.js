// One job: what it is, why it stands where it stands, and what can be done.

import { ask, button, run } from "./actions.js";
import { path, post } from "./api.js";
import { jobsHref } from "./attention.js";
import { card, fill, h, nothing, pill, setPill } from "./dom.js";
import { reasons } from "./explain.js";
import { full, millis, payload, pretty } from "./format.js";

export const jobHref = (id) => "#/job/" + path(id);

export function progress(j) {
  const p = j.progress;
  if (p === null || p === undefined) return null;
  return typeof p === "object" ? (p.percent === undefined ? null : p.percent) : p;
}

export function note(j) {
  return (j.progress && typeof j.progress === "object" ? j.progress.note : j.note || j.progressNote) || "";
}

export function requeue(id) {
  return run(
    () => post("/v1/jobs.requeue", { ids: [id] }),
    (a) => {
      const r = a.results[0];
      if (!r.ok) throw new Error("It cannot be requeued: " + r.code);
      return "The job is ready again";
    },
  );
}

export async function cancel(id) {
  const sure = await ask({
    title: "Cancel this job?",
    text: "If it runs, its handler is asked to stop.",
    go: "Cancel the job",
    danger: true,
  });
  if (!sure) return false;
  return run(
    () => post("/v1/jobs.cancel", { ids: [id] }),
    (a) =>
      ({
        cancelled: "The job is cancelled",
        requested: "Its handler was asked to stop",
        finished: "It was finished already",
        not_found: "There is no such job",
      })[a.results[0].result] || a.results[0].result,
  );
}

const NAMES = {
  inflight: ["Running", "flow"],
  ready: ["Ready", "accent"],
  scheduled: ["Scheduled", ""],
  gated: ["Gated", "late"],
  done: ["Done", "flow"],
  cancelled: ["Cancelled", ""],
  dlq: ["Dead", "dead"],
};

/** One job: what it is, why it stands where it stands, and what can be done. */
export function job(params) {
  const id = params.id;
  const body = h("div");
  const mark = pill("");
  const sub = h("p.sub");
  const buttons = h("div.buttons");
  let timer = null;
  let last = "";

  async function load() {
    try {
      const [{ job: j }, why] = await Promise.all([
        post("/v1/jobs.inspect", { id, withPayload: true }),
        post("/v1/jobs.explain", { id }),
      ]);
      const key = JSON.stringify([j, why]);
      if (key === last) return;
      last = key;
      const [text, tone] = NAMES[j.state] || [j.state, ""];
      setPill(mark, { text, tone });
      fill(sub, j.type + " in ", h("a", { href: jobsHref(j.queue, j.state), dir: "auto" }, h("b", j.queue)));
      fill(
        buttons,
        ["dlq", "cancelled", "scheduled"].includes(j.state) &&
          button(
            j.state === "scheduled" ? "Run now" : "Requeue",
            "admin",
            async () => {
              await requeue(id);
              load();
            },
            ".main",
          ),
        ["ready", "scheduled", "gated", "inflight"].includes(j.state) &&
          button(
            "Cancel",
            "admin",
            async () => {
              await cancel(id);
              load();
            },
            ".danger",
          ),
      );
      fill(
        body,
        reasons(why.reasons),
        facts(j),
        content("Payload", j.payload, j.payloadBase64),
        content("Output", j.output, j.outputBase64),
        j.lastError && card("Last error", {}, h("div.pad", h("pre", j.lastError))),
      );
    } catch (e) {
      last = "";
      fill(
        body,
        card(
          null,
          {},
          nothing(
            e.status === 404 ? "There is no such job" : "The job cannot be read",
            e.status === 404 ? "It may have been retained away." : e.message,
          ),
        ),
      );
    }
  }
  load();
  timer = setInterval(load, 3000);
  return {
    title: "Job " + id,
    node: h(
      "div",
      h(
        "div.head",
        h(
          "div.grow",
          h("p.crumb", h("a", { href: "#/jobs" }, "Jobs")),
          h("div.title", h("h1.mono", { dir: "auto" }, id), mark),
          sub,
        ),
        buttons,
      ),
      body,
    ),
    update() {},
    close() {
      clearInterval(timer);
    },
  };
}

function content(title, json, base64) {
  const text =
    json !== undefined && json !== null
      ? typeof json === "string"
        ? pretty(json)
        : JSON.stringify(json, null, 2)
      : payload(base64);
  return text ? card(title, {}, h("div.pad", h("pre", { tabindex: "0" }, text))) : false;
}

function facts(j) {
  const rows = [
    ["Created", full(millis(j.createdAt))],
    ["Runs at", j.runAt && full(millis(j.runAt))],
    ["Priority", j.priority],
    ["Failures", (j.attempts || 0) + (j.maxAttempts ? " of " + j.maxAttempts : "")],
    ["Deliveries", j.deliveries === undefined ? j.fence : j.deliveries],
    ["Progress", progress(j) === null ? null : progress(j) + " %" + (note(j) ? ", " + note(j) : "")],
    ["Lease", j.lease && (j.lease.owner || "somebody") + ", until " + full(millis(j.lease.expiresAt))],
    ["Limit key", j.limitKey],
    ["Idempotency key", j.idempotencyKey],
    ["Failed", j.failedAt && full(millis(j.failedAt))],
    ["Given up", j.dlqFailedAt && full(millis(j.dlqFailedAt)) + (j.dlqReason ? ": " + j.dlqReason : "")],
    ["Finished", j.finishedAt && full(millis(j.finishedAt))],
  ].filter(([, v]) => v !== undefined && v !== null && v !== "");
  return card(
    "Facts",
    {},
    h(
      "dl.facts",
      rows.map(([k, v]) => [h("dt", k), h("dd", { dir: "auto" }, v)]),
      j.traceId && [
        h("dt", "Trace"),
        h("dd", h("a.mono", { href: "#/trace/" + path(j.traceId) }, j.traceId)),
      ],
    ),
  );
}
