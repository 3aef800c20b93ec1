// Lists that are read again, the doctor, traces, and finding things.

import { get, path, post } from "./api.js";
import { jobsHref, lockHref, queueHref, streamHref } from "./attention.js";
import { card, fill, h, nothing, pill, say, table } from "./dom.js";
import { full, millis, now, plural, span, time } from "./format.js";
import { state } from "./store.js";

const EVERY_MS = 3000;

/** A table that is loaded at once, and again while it is looked at. */
export function list(columns, key, empty, load) {
  const t = table(columns, key, { empty });
  const error = h("p.pad.t-dead", { role: "alert" });
  error.hidden = true;
  const wait = h("p.empty", "Reading …");
  const node = h("div", { "aria-busy": "true" }, wait, error, t.node);
  t.node.hidden = true;
  let closed = false;
  let loading = false;
  let items = [];

  async function refresh() {
    if (loading || closed || document.hidden) return;
    loading = true;
    try {
      items = await load();
      if (closed) return;
      error.hidden = true;
      t.node.hidden = false;
      t.update(items);
    } catch (e) {
      say(error, e.message);
      error.hidden = false;
    } finally {
      loading = false;
      wait.hidden = true;
      node.setAttribute("aria-busy", "false");
    }
  }

  const timer = setInterval(refresh, EVERY_MS);
  refresh();
  return {
    node,
    refresh,
    update() {
      if (items.length) t.update(items);
    },
    close() {
      closed = true;
      clearInterval(timer);
    },
  };
}

const LEVELS = { ok: ["OK", "flow"], warning: ["Warning", "late"], problem: ["Problem", "dead"] };

export function doctor() {
  const body = h("div");
  const line = h(
    "p.sub",
    "Looks at the database: version, settings that hurt, long transactions, missing indexes, clocks.",
  );
  async function look() {
    try {
      const { findings } = await get("/dashboard/doctor");
      const bad = findings.filter((x) => x.level !== "ok").length;
      say(
        line,
        findings.length === 0
          ? "Nothing to examine."
          : bad === 0
            ? "Everything is as it should be."
            : plural(bad, "thing") + " to do something about.",
      );
      const order = ["problem", "warning", "ok"];
      findings.sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
      fill(
        body,
        findings.length === 0
          ? card(
              null,
              {},
              nothing(
                "There is no database to examine",
                "This server keeps everything in memory. On PostgreSQL the doctor looks at its settings and its health.",
                "holdfast serve --db jdbc:postgresql://localhost/app",
              ),
            )
          : card(
              "Findings",
              {},
              findings.map((x) =>
                h(
                  "div.reason",
                  pill(...LEVELS[x.level]),
                  h("div.grow", h("b", x.subject), h("p", x.found), x.advice && h("p.do", x.advice)),
                ),
              ),
            ),
      );
    } catch (e) {
      fill(body, card(null, {}, h("p.empty.t-dead", { role: "alert" }, e.message)));
    }
  }
  look();
  return {
    title: "Doctor",
    node: h(
      "div",
      h(
        "div.head",
        h("div.grow", h("h1", "Doctor"), line),
        h("div.buttons", h("button.btn", { type: "button", onclick: look }, "Examine again")),
      ),
      body,
    ),
    update() {},
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** All messages and jobs of one trace on one time line. */
export function trace(params) {
  const id = params.id || "";
  const input = h("input.input", {
    type: "text",
    name: "trace",
    placeholder: "Trace id",
    "aria-label": "Trace id",
    spellcheck: "false",
  });
  input.value = id;
  const body = h("div");
  const line = h("p.sub", "Messages and jobs that carry the same trace id, on one time line.");

  async function find() {
    if (!id) {
      fill(
        body,
        card(
          null,
          {},
          nothing(
            "Which trace?",
            "Give messages a traceId when you push, and jobs when you enqueue; jobs that a handler enqueues inherit it.",
            "holdfast enqueue report --trace order-42",
          ),
        ),
      );
      return;
    }
    const parts = [];
    const problems = [];
    await Promise.all([
      UUID.test(id) &&
        get("/api/v1/messages/by-trace/" + path(id))
          .then((answer) => parts.push(...(answer.messages || []).map(ofMessage)))
          .catch((e) => problems.push(e.message)),
      post("/v1/jobs.list", { traceId: id })
        .then((answer) => parts.push(...(answer.jobs || []).map(ofJob)))
        .catch((e) => problems.push(e.message)),
    ]);
    parts.sort((a, b) => a.from - b.from);
    say(
      line,
      parts.length
        ? plural(parts.length, "step") +
            " in " +
            span(Math.max(...parts.map((p) => p.to)) - parts[0].from) +
            ", from " +
            full(parts[0].from)
        : "Nothing has this trace id.",
    );
    fill(
      body,
      problems.length > 0 && card(null, {}, h("p.empty.t-dead", { role: "alert" }, problems.join("; "))),
      card(
        null,
        {},
        parts.length
          ? timeLine(parts)
          : nothing(
              "Nothing has this trace id",
              "It may have been retained away, or nothing was ever sent with it.",
            ),
      ),
    );
  }
  find();
  return {
    title: "Trace",
    node: h(
      "div",
      h("div.head", h("div.grow", h("h1", "Trace"), line)),
      h(
        "form.ask",
        {
          role: "search",
          onsubmit: (e) => {
            e.preventDefault();
            location.hash = "#/trace/" + path(input.value.trim());
          },
        },
        input,
        h("button.btn.main", { type: "submit" }, "Show"),
      ),
      body,
    ),
    update() {},
  };
}

function ofMessage(m) {
  const from = millis(m.createdAt);
  const status = m.status || "pending";
  return {
    kind: "Message",
    name: m.queue + " / " + m.partition,
    href: streamHref(m.queue, "messages"),
    from,
    to: from,
    text: status.replace("_", " "),
    tone: status === "completed" ? "flow" : status === "dead_letter" ? "dead" : "late",
  };
}

const WORDS = { inflight: "running", dlq: "dead" };

function ofJob(j) {
  const from = millis(j.createdAt);
  const end = millis(j.finishedAt) || millis(j.dlqFailedAt);
  return {
    kind: "Job",
    name: j.type + " in " + j.queue,
    href: "#/job/" + path(j.id),
    from,
    to: end || now(),
    text: WORDS[j.state] || j.state,
    tone: j.state === "done" ? "flow" : j.state === "dlq" ? "dead" : j.state === "inflight" ? "" : "late",
  };
}

function timeLine(parts) {
  const begin = parts[0].from;
  const end = Math.max(begin + 1, ...parts.map((p) => p.to));
  return h(
    "ol.line",
    parts.map((p) => {
      const bar = h("i", { title: full(p.from) + " – " + full(p.to) });
      if (p.tone) bar.dataset.tone = p.tone;
      const x = (p.from - begin) / (end - begin);
      bar.style.left = "calc(" + (x * 100).toFixed(2) + "% - " + (x * 10).toFixed(1) + "px)";
      bar.style.width = (((p.to - p.from) / (end - begin)) * 100).toFixed(2) + "%";
      return h(
        "li",
        h("time", time(p.from), h("br"), p.from === begin ? "" : "+ " + span(p.from - begin)),
        h(
          "div.of",
          pill(p.text, p.tone || "accent"),
          h("a", { href: p.href, dir: "auto" }, h("b", p.name)),
          h("span.hint", p.kind + (p.to > p.from ? ", " + span(p.to - p.from) : "")),
        ),
        h("div.track", bar),
      );
    }),
  );
}

/** Where a name or an id leads. */
export function search(text) {
  const f = state.figures;
  const found = [];
  const wanted = text.toLowerCase();
  if (!f || !wanted) return found;
  const match = (name) => name.toLowerCase().includes(wanted);
  for (const q of f.queues) if (match(q.name)) found.push(["Queue", q.name, queueHref(q.name)]);
  for (const s of f.streams) if (match(s.name)) found.push(["Stream", s.name, streamHref(s.name)]);
  for (const j of f.jobs) if (match(j.name)) found.push(["Jobs", j.name, jobsHref(j.name)]);
  for (const l of f.locks.holders)
    if (l.key !== null && match(l.key)) found.push(["Lock", l.key, lockHref(l.key)]);
  for (const s of f.schedules)
    if (match(s.name)) found.push(["Recurring", s.name, jobsHref(s.queue, "recurring")]);
  for (const [kind, href] of [
    ["queues", queueHref],
    ["streams", streamHref],
    ["jobs", jobsHref],
  ]) {
    for (const name of f.more[kind] || []) if (match(name)) found.push([kind, name, href(name)]);
  }
  const rest = found.slice(0, 12);
  if (/^[0-9a-f]{32}$/i.test(text)) rest.push(["Job", text, "#/job/" + path(text)]);
  rest.push(["Trace", text, "#/trace/" + path(text)], ["Lock", text, lockHref(text)]);
  return rest;
}
