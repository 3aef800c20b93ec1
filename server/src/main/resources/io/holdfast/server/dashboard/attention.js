// What somebody should look at, and where it is.

import { path } from "./api.js";
import { LATE_MS, now, plural, span } from "./format.js";

export const queueHref = (name, view) => "#/queues/" + path(name) + (view ? "?show=" + view : "");

export const streamHref = (name, view) => "#/streams/" + path(name) + (view ? "?show=" + view : "");

export const jobsHref = (name, view) => "#/jobs/" + path(name) + (view ? "?show=" + view : "");

export const lockHref = (key) => "#/locks/" + path(key);

/** Everything that somebody should look at, the worst first. */
export function attention(f) {
  const found = [];
  for (const q of f.queues) {
    const age = q.oldestAt === null ? 0 : now() - q.oldestAt;
    if (q.partitions.some((p) => p.failures > 0))
      found.push({
        rank: 0,
        tone: "stuck",
        label: "Failing",
        name: q.name,
        what: "a partition of this queue cannot be used",
        href: queueHref(q.name, "partitions"),
      });
    if (q.deadOf.length && q.ready + q.leased > 0)
      found.push({
        rank: 2,
        tone: "dead",
        label: "Dead",
        name: q.name,
        what: plural(q.ready + q.leased, "item") + " given up by " + q.deadOf.join(", "),
        href: queueHref(q.name, "ready"),
      });
    if (!q.deadOf.length && q.ready > 0 && age > LATE_MS)
      found.push({
        rank: 1,
        tone: "late",
        label: "Late",
        name: q.name,
        what:
          plural(q.ready, "item") +
          " wait, the oldest for " +
          span(age) +
          (q.paused ? ": the queue is paused" : q.leased ? "" : ": nobody takes them"),
        href: queueHref(q.name, "ready"),
      });
    else if (q.paused)
      found.push({
        rank: 3,
        tone: "pause",
        label: "Paused",
        name: q.name,
        what: "this queue grants no leases",
        href: queueHref(q.name),
      });
  }
  for (const s of f.streams) {
    const age = s.oldestAt === null ? 0 : now() - s.oldestAt;
    if (s.stuck)
      found.push({
        rank: 0,
        tone: "stuck",
        label: "Stuck",
        name: s.name,
        what:
          plural(s.stuck, "partition") + " of this stream " + (s.stuck === 1 ? "does" : "do") + " not go on",
        href: streamHref(s.name, "stuck"),
      });
    if (s.dead)
      found.push({
        rank: 2,
        tone: "dead",
        label: "Dead",
        name: s.name,
        what: plural(s.dead, "message") + " given up",
        href: streamHref(s.name, "dead"),
      });
    if (!s.stuck && s.depth > 0 && age > LATE_MS) {
      const slow = s.groups
        .filter((g) => g.oldestAt !== null && now() - g.oldestAt > LATE_MS)
        .map((g) => g.name);
      found.push({
        rank: 1,
        tone: "late",
        label: "Late",
        name: s.name,
        what:
          "the oldest unread message is " +
          span(age) +
          " old" +
          (slow.length ? " (" + slow.join(", ") + ")" : ""),
        href: streamHref(s.name, "groups"),
      });
    }
    if (s.popPaused || s.pushPaused)
      found.push({
        rank: 3,
        tone: "pause",
        label: "Paused",
        name: s.name,
        what: s.popPaused ? "this stream delivers nothing" : "this stream takes nothing",
        href: streamHref(s.name),
      });
  }
  for (const j of f.jobs) {
    const age = j.oldestAt === null ? 0 : now() - j.oldestAt;
    if (j.dead)
      found.push({
        rank: 2,
        tone: "dead",
        label: "Dead",
        name: j.name,
        what: plural(j.dead, "job") + " given up",
        href: jobsHref(j.name, "dlq"),
      });
    if (j.ready > 0 && age > LATE_MS)
      found.push({
        rank: 1,
        tone: "late",
        label: "Late",
        name: j.name,
        what:
          plural(j.ready, "job") +
          " wait, the oldest for " +
          span(age) +
          (j.pausedAt !== null ? ": the queue is paused" : ""),
        href: jobsHref(j.name, "ready"),
      });
    else if (j.pausedAt !== null)
      found.push({
        rank: 3,
        tone: "pause",
        label: "Paused",
        name: j.name,
        what: "this queue gives no jobs",
        href: jobsHref(j.name),
      });
  }
  return found.sort((a, b) => a.rank - b.rank || a.name.localeCompare(b.name));
}

/** What is waiting longest, over everything that is meant to move. */
export function oldest(f) {
  const all = [
    ...f.queues
      .filter((q) => !q.deadOf.length && q.ready > 0)
      .map((q) => [q.oldestAt, q.name, queueHref(q.name, "ready")]),
    ...f.streams.map((s) => [s.oldestAt, s.name, streamHref(s.name, "groups")]),
    ...f.jobs.map((j) => [j.oldestAt, j.name, jobsHref(j.name, "ready")]),
  ].filter((x) => x[0] !== null);
  return all.sort((a, b) => a[0] - b[0])[0] || null;
}
