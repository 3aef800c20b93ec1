// Why is this not running?

import { get, query } from "./api.js";
import { streamHref } from "./attention.js";
import { card, fill, h, nothing, pill } from "./dom.js";
import { ago, full, millis, plural } from "./format.js";

const TONES = {
  DONE: "flow",
  RUNNING: "flow",
  DEAD: "dead",
  CANCELLED: "",
  LEASE_EXPIRED: "late",
  NOT_DUE: "accent",
  QUEUE_PAUSED: "stuck",
  KEY_AT_LIMIT: "late",
  NO_WORKER_FOR_QUEUE: "stuck",
  NO_WORKER_FOR_TYPE: "stuck",
  BEHIND: "late",
  CANCEL_REQUESTED: "late",
};

/** The reasons of a job, the most decisive first. */
export function reasons(all) {
  if (!all || all.length === 0) return false;
  return card(
    "Why does it stand here?",
    {},
    all.map((r) =>
      h(
        "div.reason",
        pill(r.code.toLowerCase().replace(/_/g, " "), TONES[r.code] || ""),
        h(
          "div.grow",
          h("p", { dir: "auto" }, r.text),
          (r.since || r.until || r.holder) &&
            h(
              "p.hint",
              [
                r.since && "since " + full(millis(r.since)),
                r.until && "until " + full(millis(r.until)) + " (" + ago(millis(r.until)) + ")",
                r.holder && "held by " + r.holder,
              ]
                .filter(Boolean)
                .join(", "),
            ),
          r.action && h("p.do", "What helps: " + r.action),
        ),
      ),
    ),
  );
}

const STATES = {
  paused: ["Paused", "stuck"],
  unseeded: ["Not begun", "accent"],
  parked: ["Parked", "stuck"],
  leased: ["Held", "flow"],
  idle: ["Nothing to read", ""],
  retrying: ["Retrying", "late"],
  delayed: ["Delayed", "accent"],
  window: ["Window open", "accent"],
  ready: ["Ready", "flow"],
};

/** Why a partition is, or is not, delivered to a group. */
export function whyPartition(params) {
  const body = h("div");
  async function load() {
    try {
      const why = await get(
        "/api/v1/explain?" +
          query({ queue: params.queue, partition: params.partition, consumerGroup: params.group }),
      );
      const [text, tone] = STATES[why.state] || [why.state, ""];
      fill(
        body,
        card(
          null,
          {},
          h(
            "div.reason",
            pill(text, tone),
            h(
              "div.grow",
              h("p", { dir: "auto" }, why.detail),
              h(
                "p.hint",
                plural(why.pending, "message") +
                  " not read yet" +
                  (why.until
                    ? ", until " + full(millis(why.until)) + " (" + ago(millis(why.until)) + ")"
                    : ""),
              ),
            ),
          ),
        ),
      );
    } catch (e) {
      fill(body, card(null, {}, nothing("It cannot be explained", e.message)));
    }
  }
  load();
  const timer = setInterval(load, 3000);
  return {
    title: "Why",
    node: h(
      "div",
      h(
        "div.head",
        h(
          "div.grow",
          h(
            "p.crumb",
            h("a", { href: streamHref(params.queue || "", "partitions") }, "Stream " + (params.queue || "")),
          ),
          h("h1", { dir: "auto" }, "Why is " + params.partition + " not running?"),
          h("p.sub", { dir: "auto" }, "As the group " + params.group + " sees it."),
        ),
      ),
      body,
    ),
    update() {},
    close() {
      clearInterval(timer);
    },
  };
}
