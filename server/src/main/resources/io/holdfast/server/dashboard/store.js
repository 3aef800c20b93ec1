// What is known now, and the last ten minutes of it.

import { setClock } from "./format.js";

const KEEP_MS = 10 * 60000;

export const state = { figures: null, session: null, live: false };
const series = new Map();
const watchers = new Set();

/** Calls watch with every new figures; answers how to stop that. */
export function watch(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

function put(key, at, values) {
  let points = series.get(key);
  if (!points) series.set(key, (points = []));
  if (points.length && points[points.length - 1].at >= at) return;
  points.push({ at, values });
  while (points.length && points[0].at < at - KEEP_MS) points.shift();
}

export function takeHistory(history) {
  for (const point of history.points) {
    for (const [key, values] of Object.entries(point.values)) put(key, point.at, values);
  }
}

function age(at, since) {
  return since === null ? 0 : Math.max(0, at - since);
}

export function take(figures) {
  setClock(figures.at);
  state.figures = figures;
  if (figures.problem === null) {
    const at = figures.at;
    for (const q of figures.queues)
      put("q:" + q.name, at, [
        q.ready,
        q.leased,
        q.scheduled,
        q.dead,
        age(at, q.oldestAt),
        q.produced,
        q.handedOut,
        q.completed,
        q.retried,
      ]);
    for (const s of figures.streams) {
      const passed = s.groups.reduce((sum, g) => sum + g.passed, 0);
      put("s:" + s.name, at, [s.depth, s.leased, s.stuck, s.dead, age(at, s.oldestAt), s.pushed, passed]);
      for (const g of s.groups) put("g:" + s.name + "\n" + g.name, at, [g.lag, g.passed]);
    }
    for (const j of figures.jobs)
      put("j:" + j.name, at, [
        j.ready,
        j.scheduled,
        j.gated,
        j.running,
        j.done,
        j.dead,
        age(at, j.oldestAt),
        j.finishedLastMinute,
      ]);
    put("l:", at, [figures.locks.live, figures.locks.waiters]);
  }
  // What passes without ever waiting flows as well.
  for (const q of figures.queues) q.perSecond = rateNow("q:" + q.name, 7) + rateNow("q:" + q.name, 5);
  for (const s of figures.streams) s.perSecond = rateNow("s:" + s.name, 5) + rateNow("s:" + s.name, 6);
  for (const watcher of watchers) watcher(figures);
}

/** The course of one number. */
export function course(key, index) {
  return (series.get(key) || []).map((p) => ({ x: p.at, y: p.values[index] }));
}

/** The course of how fast a counter grows, per second. */
export function speed(key, index) {
  const points = series.get(key) || [];
  const speeds = [];
  for (let i = 1; i < points.length; i++) {
    const seconds = (points[i].at - points[i - 1].at) / 1000;
    const grown = points[i].values[index] - points[i - 1].values[index];
    speeds.push({ x: points[i].at, y: grown >= 0 && seconds > 0 ? grown / seconds : 0 });
  }
  return speeds;
}

/** How fast a counter grew over the last half minute, per second. */
export function rateNow(key, index) {
  const points = series.get(key) || [];
  if (points.length < 2) return 0;
  const last = points[points.length - 1];
  const first = points.find((p) => p.at >= last.at - 30000) || points[0];
  const seconds = (last.at - first.at) / 1000;
  return seconds > 0 ? Math.max(0, last.values[index] - first.values[index]) / seconds : 0;
}

/** The courses of several things added up, point by point. */
export function total(courses) {
  const sums = new Map();
  for (const points of courses) {
    for (const p of points) sums.set(p.x, (sums.get(p.x) || 0) + p.y);
  }
  return [...sums.entries()].sort((a, b) => a[0] - b[0]).map(([x, y]) => ({ x, y }));
}

/** The highest of several courses, point by point. */
export function most(courses) {
  const tops = new Map();
  for (const points of courses) {
    for (const p of points) tops.set(p.x, Math.max(tops.get(p.x) || 0, p.y));
  }
  return [...tops.entries()].sort((a, b) => a[0] - b[0]).map(([x, y]) => ({ x, y }));
}

export function may(role) {
  const roles = state.session ? state.session.roles : [];
  return roles.includes(role) || roles.includes("admin");
}
