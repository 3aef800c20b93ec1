// Locks: who holds what, until when, and who waits.

import { ask, button, run } from "./actions.js";
import { post } from "./api.js";
import { lockHref } from "./attention.js";
import { chart } from "./charts.js";
import { NO_LOCKS, lockColumns, tile } from "./columns.js";
import { card, fill, h, nothing, pill, say, setPill, table } from "./dom.js";
import { ago, count, full, now, span } from "./format.js";
import { shell } from "./items.js";
import { course, may } from "./store.js";

export function locks() {
  const live = tile("Held", "#/locks", "flow");
  const waiters = tile("Waiting for one", "#/locks", "accent");
  const expired = tile("Expired rows", "#/locks", "");
  const counters = tile("Keys ever used", "#/locks", "");
  const course1 = chart("Locks", [
    { label: "Held", colour: "--flow", fill: true },
    { label: "Waiting", colour: "--accent" },
  ]);
  const all = table(
    [
      ...lockColumns(),
      {
        title: "",
        act: true,
        make: (l) =>
          h(
            "span",
            l.key !== null && h("a.btn.small", { href: lockHref(l.key) }, "Why?"),
            l.key !== null && button("Break", "admin", () => breakLock(l.key, l.fence), ".small.danger"),
          ),
      },
    ],
    (l) => l.keyHash + ":" + l.fence,
    { caption: "Locks", empty: NO_LOCKS },
  );
  return {
    title: "Locks",
    node: h(
      "div",
      h(
        "div.head",
        h(
          "div.grow",
          h("h1", "Locks"),
          h("p.sub", "Leases on keys; every grant has a fence that only grows."),
        ),
      ),
      h("div.grid.tiles", live.node, waiters.node, expired.node, counters.node),
      card("Held and waiting", { side: course1.legend }, course1.node),
      card("Holders", { note: "by key" }, all.node),
    ),
    update(f) {
      const l = f.locks;
      live.set(
        count(l.live),
        "",
        l.holders.length < l.live ? "the first " + l.holders.length + " are below" : "all of them are below",
        course("l:", 0),
      );
      waiters.set(
        count(l.waiters),
        "",
        l.waiters ? "for a key that is taken" : "nobody waits",
        course("l:", 1),
      );
      expired.set(count(l.expired), "", "removed by the next purge", null);
      counters.set(count(l.counters), "", "each keeps its last fence", null);
      course1.update([course("l:", 0), course("l:", 1)]);
      all.update(l.holders);
    },
    close() {
      course1.close();
    },
  };
}

async function breakLock(key, fence) {
  const sure = await ask({
    title: "Break the lock on " + key + "?",
    text: "The key becomes free at once. The old holder learns it at its next renewal; until then only the fence keeps its writes out.",
    typed: key,
    go: "Break",
    danger: true,
  });
  if (!sure) return false;
  return run(
    () => post("/v1/locks.break", { key, fence: String(fence).padStart(15, "0") }),
    (a) => {
      if (a && (a.broken === false || a.ok === false))
        throw new Error("Somebody else holds it now: nothing was broken");
      return "The lock is broken";
    },
  );
}

export function lock(params) {
  const key = params.name;
  const mark = pill("");
  const sub = h("p.sub");
  const buttons = h("div.buttons");
  const body = h("div");
  let last = "";

  async function load() {
    if (!may("admin")) {
      fill(
        body,
        card(
          null,
          {},
          nothing("Only for administrators", "Looking into a lock needs a token with the role admin."),
        ),
      );
      return;
    }
    try {
      const found = await post("/v1/locks.inspect", { key });
      const row = found.lock || null;
      const isLive = found.remainingMs > 0;
      setPill(
        mark,
        isLive ? { text: "Held", tone: "flow" } : row ? { text: "Expired", tone: "late" } : { text: "Free" },
      );
      const waiters = found.waiters;
      say(
        sub,
        isLive
          ? "Held for " + span(found.nowMs - row.acquiredAtMs) + ", " + span(found.remainingMs) + " left."
          : "Nobody holds it: the next acquire gets it.",
      );
      const stateKey = JSON.stringify([row, waiters, isLive, Math.floor(now() / 3000)]);
      if (stateKey === last) return;
      last = stateKey;
      fill(
        buttons,
        isLive &&
          button(
            "Break",
            "admin",
            async () => {
              await breakLock(key, row.fence);
              load();
            },
            ".danger",
          ),
      );
      const refusal = found.refusal;
      fill(
        body,
        card(
          "Would a caller get it?",
          {},
          h(
            "div.reason",
            pill(refusal ? "No" : "Yes", refusal ? "late" : "flow"),
            h("div.grow", h("p", refusal || "The key is free.")),
          ),
        ),
        card(
          "Facts",
          {},
          h(
            "dl.facts",
            row && [
              h("dt", "Fence"),
              h("dd.mono", row.fence),
              h("dt", "Acquired"),
              h("dd", full(row.acquiredAtMs)),
              h("dt", "Expires"),
              h("dd", full(row.expiresAtMs)),
            ],
            h("dt", "Last fence granted"),
            h("dd.mono", found.fence),
          ),
        ),
        card(
          "Waiters",
          { note: "in the order they came" },
          waiters.length
            ? h(
                "ol.look",
                waiters.map((w, i) =>
                  h(
                    "li",
                    h("b", String(i + 1)),
                    h("span.grow", (w.fair ? "fair ticket " : "ticket ") + w.ticket),
                    h("span.hint", "alive until " + ago(w.expiresAtMs)),
                  ),
                ),
              )
            : nothing(
                "Nobody waits",
                "Who asks with a wait shows up here, in order.",
                "holdfast run --lock " + shell(key) + " -- true",
              ),
        ),
      );
    } catch (e) {
      last = "";
      fill(body, card(null, {}, nothing("The lock cannot be read", e.message)));
    }
  }
  load();
  const timer = setInterval(load, 2000);
  return {
    title: key,
    node: h(
      "div",
      h(
        "div.head",
        h(
          "div.grow",
          h("p.crumb", h("a", { href: "#/locks" }, "Locks")),
          h("div.title", h("h1", { dir: "auto" }, key), mark),
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
