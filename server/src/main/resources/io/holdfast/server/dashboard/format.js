// Numbers, times and states as people read them.

let skew = 0;

/** The server's clock, as far as it is known here. */
export function setClock(serverMs) {
  skew = serverMs - Date.now();
}

export function now() {
  return Date.now() + skew;
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function count(value) {
  const n = Number(value) || 0;
  return n >= 100000 ? short.format(n) : whole.format(n);
}

export function rate(perSecond) {
  return perSecond >= 100 ? whole.format(perSecond) : tenth.format(perSecond);
}

/** 850 ms, 12 s, 3 m 20 s, 4 h 10 m, 3 d */
export function span(ms) {
  if (ms === null || ms === undefined || Number.isNaN(ms)) return "–";
  const s = Math.max(0, ms) / 1000;
  if (s < 1) return Math.round(s * 1000) + " ms";
  if (s < 10) return tenth.format(s) + " s";
  if (s < 60) return Math.floor(s) + " s";
  const m = Math.floor(s / 60);
  if (m < 60) return m + " m" + (m < 10 && Math.floor(s % 60) ? " " + Math.floor(s % 60) + " s" : "");
  const hours = Math.floor(m / 60);
  if (hours < 48) return hours + " h" + (m % 60 ? " " + (m % 60) + " m" : "");
  return Math.floor(hours / 24) + " d";
}

/** How long ago; for what is still to come, in how long. */
export function ago(ms) {
  if (ms === null || ms === undefined) return "–";
  const d = now() - ms;
  return d >= 0 ? (d < 1000 ? "now" : span(d) + " ago") : "in " + span(-d);
}

export function left(ms) {
  if (ms === null || ms === undefined) return "–";
  const d = ms - now();
  return d >= 0 ? span(d) : "over since " + span(-d);
}

/** Milliseconds of an instant however the wire says it; null for none. */
export function millis(text) {
  if (text === null || text === undefined || text === "") return null;
  if (typeof text === "number") return text;
  if (/^0001-/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

export function time(ms) {
  return ms === null || ms === undefined ? "–" : clock.format(ms);
}

export function full(ms) {
  return ms === null || ms === undefined ? "–" : date.format(ms);
}

export function plural(n, one, many) {
  return count(n) + " " + (Number(n) === 1 ? one : many || one + "s");
}

/** What is late: waiting for longer than this. */
export const LATE_MS = 60000;

/** The state of a queue in a word and a colour. */
export function queueState(q) {
  const age = q.oldestAt === null ? 0 : now() - q.oldestAt;
  if (q.partitions.some((p) => p.failures > 0))
    return { text: "Failing", tone: "stuck", title: "A partition cannot be written" };
  if (q.paused) return { text: "Paused", tone: "pause", title: "Grants no leases until it is resumed" };
  if (q.deadOf.length) {
    return q.ready + q.leased > 0
      ? { text: "Dead items", tone: "dead", title: "Items that were given up wait here" }
      : { text: "Empty", title: "Nothing was given up" };
  }
  if (q.ready > 0 && age > LATE_MS)
    return { text: "Late", tone: "late", title: "The oldest item waits for " + span(age) };
  if (q.ready + q.leased > 0 || q.perSecond > 0) return { text: "Flowing", tone: "flow", title: "" };
  return { text: "Idle", title: "Nothing waits" };
}

export function streamState(s) {
  const age = s.oldestAt === null ? 0 : now() - s.oldestAt;
  if (s.popPaused) return { text: "Paused", tone: "pause", title: "Delivers nothing until it is resumed" };
  if (s.stuck > 0)
    return { text: "Stuck", tone: "stuck", title: plural(s.stuck, "partition") + " to look at" };
  if (s.depth > 0 && age > LATE_MS)
    return { text: "Late", tone: "late", title: "The oldest message waits for " + span(age) };
  if (s.retrying > 0)
    return {
      text: "Retrying",
      tone: "late",
      title: plural(s.retrying, "partition") + " failed and is tried again",
    };
  if (s.pushPaused)
    return { text: "Push paused", tone: "pause", title: "Takes no messages until it is resumed" };
  if (s.depth > 0 || s.leased > 0 || s.perSecond > 0) return { text: "Flowing", tone: "flow", title: "" };
  return { text: "Idle", title: "Nothing waits" };
}

export function jobsState(j) {
  const age = j.oldestAt === null ? 0 : now() - j.oldestAt;
  if (j.pausedAt !== null)
    return { text: "Paused", tone: "pause", title: "Gives nothing until it is resumed" };
  if (j.ready > 0 && age > LATE_MS)
    return { text: "Late", tone: "late", title: "The oldest job waits for " + span(age) };
  if (j.ready + j.running > 0 || j.finishedLastMinute > 0)
    return { text: "Flowing", tone: "flow", title: "" };
  return { text: "Idle", title: "Nothing waits" };
}

/** Bytes in base64 as text if they are text, else as a dump of their beginning. */
export function payload(base64) {
  if (!base64) return "";
  const bytes = Uint8Array.from(atob(base64.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  try {
    return pretty(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return (
      Array.from(bytes.slice(0, 512), (b) => b.toString(16).padStart(2, "0")).join(" ") +
      (bytes.length > 512 ? " …" : "")
    );
  }
}

export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
