// Tiles and tables that several pages share.

import { jobsHref, lockHref, queueHref, streamHref } from "./attention.js";
import { drawSpark, spark } from "./charts.js";
import { fill, h, nothing, pill, say, setPill, tone } from "./dom.js";
import { LATE_MS, count, jobsState, left, now, queueState, rate, span, streamState } from "./format.js";
import { course, rateNow } from "./store.js";

export function tile(what, href, toneName) {
  const value = h("span.value");
  const note = h("span.note");
  const line = spark(toneName);
  const node = h("a.card.tile", { href }, h("span.what", what), value, note, line);
  if (toneName) node.dataset.tone = toneName;
  return {
    node,
    set(text, unit, noteText, points, newTone) {
      const key = text + "|" + unit;
      if (value.dataset.key !== key) {
        value.dataset.key = key;
        fill(value, text, unit && h("small", unit));
      }
      say(note, noteText);
      if (newTone !== undefined) tone(node, newTone);
      if (points) drawSpark(line, points, newTone === undefined ? toneName : newTone);
      else line.setAttribute("hidden", "");
      if (points) line.removeAttribute("hidden");
    },
    link(to) {
      if (node.getAttribute("href") !== to) node.setAttribute("href", to);
    },
  };
}

export function queueColumns() {
  return [
    { title: "Queue", get: (q) => ({ text: q.name, href: queueHref(q.name), cls: "name", title: q.name }) },
    { title: "State", make: () => pill(""), update: (node, q) => setPill(node, queueState(q)) },
    { title: "Ready", num: true, get: (q) => ({ text: count(q.ready), href: queueHref(q.name, "ready") }) },
    {
      title: "Leased",
      num: true,
      get: (q) => ({ text: count(q.leased), href: queueHref(q.name, "leased") }),
    },
    {
      title: "Later",
      num: true,
      wide: true,
      get: (q) => ({
        text: count(q.scheduled),
        href: queueHref(q.name, "scheduled"),
        tone: q.scheduled ? "" : "faint",
      }),
    },
    {
      title: "Oldest",
      num: true,
      wide: true,
      get: (q) => ({
        text: q.oldestAt === null ? "–" : span(now() - q.oldestAt),
        href: queueHref(q.name, "ready"),
        tone: q.oldestAt !== null && now() - q.oldestAt > LATE_MS && !q.deadOf.length ? "late" : "",
      }),
    },
    {
      title: "Dead",
      num: true,
      get: (q) =>
        q.deadQueue
          ? { text: count(q.dead), href: queueHref(q.deadQueue, "ready"), tone: q.dead ? "dead" : "faint" }
          : { text: "–", tone: "faint" },
    },
    {
      title: "Done / s",
      num: true,
      get: (q) => ({ text: rate(rateNow("q:" + q.name, 7)), href: queueHref(q.name) }),
    },
    {
      title: "Waiting, 5 min",
      wide: true,
      make: () => spark(),
      update: (node, q) =>
        drawSpark(
          node,
          course("q:" + q.name, 0),
          queueState(q).tone === "pause" ? "" : queueState(q).tone || "",
        ),
    },
  ];
}

export function streamColumns() {
  return [
    {
      title: "Stream",
      get: (s) => ({ text: s.name || "(no name)", href: streamHref(s.name), cls: "name", title: s.name }),
    },
    { title: "State", make: () => pill(""), update: (node, s) => setPill(node, streamState(s)) },
    {
      title: "Unread",
      num: true,
      get: (s) => ({ text: count(s.depth), href: streamHref(s.name, "groups") }),
    },
    { title: "Held", num: true, get: (s) => ({ text: count(s.leased), href: streamHref(s.name, "leases") }) },
    {
      title: "Groups",
      num: true,
      wide: true,
      get: (s) => ({ text: count(s.groups.length), href: streamHref(s.name, "groups") }),
    },
    {
      title: "Oldest",
      num: true,
      wide: true,
      get: (s) => ({
        text: s.oldestAt === null ? "–" : span(now() - s.oldestAt),
        href: streamHref(s.name, "groups"),
        tone: s.oldestAt !== null && now() - s.oldestAt > LATE_MS ? "late" : "",
      }),
    },
    {
      title: "Dead",
      num: true,
      get: (s) => ({
        text: count(s.dead),
        href: streamHref(s.name, "dead"),
        tone: s.dead ? "dead" : "faint",
      }),
    },
    {
      title: "In / s",
      num: true,
      get: (s) => ({ text: rate(rateNow("s:" + s.name, 5)), href: streamHref(s.name, "messages") }),
    },
    {
      title: "Unread, 5 min",
      wide: true,
      make: () => spark(),
      update: (node, s) =>
        drawSpark(
          node,
          course("s:" + s.name, 0),
          streamState(s).tone === "pause" ? "" : streamState(s).tone || "",
        ),
    },
  ];
}

export function jobColumns() {
  return [
    {
      title: "Job queue",
      get: (j) => ({ text: j.name, href: jobsHref(j.name), cls: "name", title: j.name }),
    },
    { title: "State", make: () => pill(""), update: (node, j) => setPill(node, jobsState(j)) },
    { title: "Ready", num: true, get: (j) => ({ text: count(j.ready), href: jobsHref(j.name, "ready") }) },
    {
      title: "Running",
      num: true,
      get: (j) => ({ text: count(j.running), href: jobsHref(j.name, "inflight") }),
    },
    {
      title: "Later",
      num: true,
      wide: true,
      get: (j) => ({
        text: count(j.scheduled),
        href: jobsHref(j.name, "scheduled"),
        tone: j.scheduled ? "" : "faint",
      }),
    },
    {
      title: "Gated",
      num: true,
      wide: true,
      get: (j) => ({ text: count(j.gated), href: jobsHref(j.name, "gated"), tone: j.gated ? "" : "faint" }),
    },
    {
      title: "Dead",
      num: true,
      get: (j) => ({ text: count(j.dead), href: jobsHref(j.name, "dlq"), tone: j.dead ? "dead" : "faint" }),
    },
    {
      title: "Done / min",
      num: true,
      get: (j) => ({ text: count(j.finishedLastMinute), href: jobsHref(j.name, "done") }),
    },
    {
      title: "Waiting, 5 min",
      wide: true,
      make: () => spark(),
      update: (node, j) =>
        drawSpark(
          node,
          course("j:" + j.name, 0),
          jobsState(j).tone === "pause" ? "" : jobsState(j).tone || "",
        ),
    },
  ];
}

export function lockColumns() {
  return [
    {
      title: "Key",
      get: (l) =>
        l.key === null
          ? { text: "#" + l.keyHash, cls: "name mono", title: "Keys are shown to administrators" }
          : { text: l.key, href: lockHref(l.key), cls: "name", title: l.key },
    },
    { title: "Held for", num: true, get: (l) => ({ text: span(now() - l.acquiredAt), title: "" }) },
    {
      title: "Left",
      num: true,
      get: (l) => ({ text: left(l.expiresAt), tone: l.expiresAt < now() ? "late" : "" }),
    },
    {
      title: "Time",
      wide: true,
      make: () => h("span.meter", h("i")),
      update: (node, l) => {
        const all = Math.max(1, l.expiresAt - l.acquiredAt);
        const share = Math.min(1, Math.max(0, (l.expiresAt - now()) / all));
        node.firstChild.style.width = Math.round(share * 100) + "%";
        tone(node, share < 0.15 ? "late" : "");
      },
    },
    {
      title: "Fence",
      num: true,
      get: (l) => ({
        text: String(l.fence),
        cls: "mono",
        href: l.key === null ? undefined : lockHref(l.key),
      }),
    },
  ];
}

export const NO_QUEUES = () =>
  nothing(
    "No queues yet",
    "Make one, and produce into it from a shell or any Querator client.",
    "holdfast queues create mails",
  );

export const NO_STREAMS = () =>
  nothing(
    "No streams yet",
    "The first push makes the stream and its partition.",
    "holdfast push orders '{\"order\": 1}'",
  );

export const NO_JOBS = () =>
  nothing(
    "No jobs yet",
    "Enqueue one; a worker in your program runs it.",
    "holdfast enqueue report --queue reports",
  );

export const NO_LOCKS = () =>
  nothing(
    "Nobody holds a lock",
    "Hold one while a command runs:",
    "holdfast run --lock deploy -- ./deploy.sh",
  );

/** Means over five points: rates of two seconds are nervous. */
export function smooth(points) {
  return points.map((p, i) => {
    const some = points.slice(Math.max(0, i - 4), i + 1);
    return { x: p.x, y: some.reduce((sum, q) => sum + q.y, 0) / some.length };
  });
}
