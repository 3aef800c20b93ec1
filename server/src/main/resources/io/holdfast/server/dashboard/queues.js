// Queues: all of them, and one.

import { ask, button, run, toast } from "./actions.js";
import { queueCall } from "./api.js";
import { queueHref } from "./attention.js";
import { chart } from "./charts.js";
import { NO_QUEUES, queueColumns, smooth, tile } from "./columns.js";
import { card, fill, h, pill, say, setPill, table } from "./dom.js";
import { count, now, plural, queueState, rate, span } from "./format.js";
import { itemTable } from "./items.js";
import { course, speed } from "./store.js";

export function queues() {
  const all = table(queueColumns(), (q) => q.name, { caption: "Queues", empty: NO_QUEUES });
  const more = h("div");
  return {
    title: "Queues",
    node: h(
      "div",
      h(
        "div.head",
        h(
          "div.grow",
          h("h1", "Queues"),
          h("p.sub", "Durable work queues: each item is leased to one consumer at a time."),
        ),
      ),
      card(null, {}, h("div.pad-top", all.node)),
      more,
    ),
    update(f) {
      all.update(f.queues);
      moreNames(more, f.more.queues, (name) => queueHref(name));
    },
  };
}

/** Names beyond those that figures are shown of. */
export function moreNames(node, names, href) {
  if (!names || names.length === 0) {
    fill(node);
    return;
  }
  if (node.dataset.n === String(names.length)) return;
  node.dataset.n = String(names.length);
  fill(
    node,
    card(
      "More",
      { note: "without figures here" },
      h(
        "div.pad.names",
        names.map((n) => h("a.btn.small", { href: href(n) }, n)),
      ),
    ),
  );
}

const VIEWS = [
  ["ready", "Ready"],
  ["leased", "Leased"],
  ["scheduled", "Scheduled"],
  ["partitions", "Partitions"],
];

export function queue(params) {
  const name = params.name;
  const view = VIEWS.some(([v]) => v === params.show) ? params.show : "ready";
  const mark = pill("");
  const sub = h("p.sub");
  const buttons = h("div.buttons");
  const ready = tile("Ready", queueHref(name, "ready"), "accent");
  const leased = tile("Leased", queueHref(name, "leased"), "flow");
  const later = tile("Scheduled", queueHref(name, "scheduled"), "");
  const dead = tile("Dead", queueHref(name), "");
  const depth = chart("Items of " + name, [
    { label: "Ready", colour: "--accent", fill: true },
    { label: "Leased", colour: "--flow" },
    { label: "Scheduled", colour: "--faint" },
  ]);
  const flow = chart(
    "Items per second of " + name,
    [
      { label: "Produced", colour: "--accent" },
      { label: "Completed", colour: "--flow" },
      { label: "Retried", colour: "--stuck" },
    ],
    { format: (v) => rate(v), top: 1 },
  );
  const tabs = h("nav.tabs", { "aria-label": "Lists of this queue" });
  const facts = h("dl.facts");
  const items = view === "partitions" ? partitionTable() : itemTable(name, view);
  let known = null;
  let wasKey = "";

  function actions(q) {
    const key = [q.paused, q.deadQueue, q.deadOf.length].join();
    if (wasKey === key) return;
    wasKey = key;
    fill(
      buttons,
      q.paused
        ? button(
            "Resume",
            "admin",
            () => run(() => queueCall("queue.resume", { queue_name: name }), "The queue grants leases again"),
            ".main",
          )
        : button("Pause", "admin", () =>
            run(
              () => queueCall("queue.pause", { queue_name: name }),
              "The queue is paused: it grants no leases",
            ),
          ),
      q.deadOf.length > 0 && button("Redrive all", "admin", () => redrive(name), ".main"),
      q.deadQueue && h("a.btn", { href: queueHref(q.deadQueue, "ready") }, "Dead queue"),
      button("Clear", "admin", () => clear(name), ".danger"),
    );
  }

  const node = h(
    "div",
    h(
      "div.head",
      h(
        "div.grow",
        h("p.crumb", h("a", { href: "#/queues" }, "Queues")),
        h("div.title", h("h1", { dir: "auto" }, name), mark),
        sub,
      ),
      buttons,
    ),
    h("div.grid.tiles", ready.node, leased.node, later.node, dead.node),
    h(
      "div.grid.two",
      card("Items", { side: depth.legend }, depth.node),
      card("Per second", { side: flow.legend, note: "through this server" }, flow.node),
    ),
    card(null, {}, tabs, items.node),
    card("Settings", {}, facts),
  );

  return {
    node,
    title: name,
    update(f) {
      const q = f.queues.find((x) => x.name === name);
      if (!q) {
        if (!known)
          say(
            sub,
            f.more.queues && f.more.queues.includes(name)
              ? "There are too many queues to show figures of all."
              : "There is no queue of this name.",
          );
        return;
      }
      known = q;
      setPill(mark, queueState(q));
      say(
        sub,
        q.deadOf.length
          ? "Takes what " + q.deadOf.join(", ") + " gave up."
          : q.oldestAt === null
            ? "Nothing waits here now."
            : "The oldest item has been here for " + span(now() - q.oldestAt) + ".",
      );
      actions(q);
      ready.set(
        count(q.ready),
        "",
        q.oldestAt === null ? "nothing waits" : "oldest " + span(now() - q.oldestAt),
        course("q:" + name, 0),
      );
      leased.set(
        count(q.leased),
        "",
        plural(q.waiters, "consumer") + " waiting for items",
        course("q:" + name, 1),
      );
      later.set(count(q.scheduled), "", "become ready at their time", course("q:" + name, 2));
      if (q.deadQueue) {
        dead.link(queueHref(q.deadQueue, "ready"));
        dead.set(count(q.dead), "", "in " + q.deadQueue, course("q:" + name, 3), q.dead ? "dead" : "");
      } else
        dead.set(
          "–",
          "",
          q.deadOf.length ? "this is a dead queue" : "no dead queue: lost after the last try",
          null,
        );
      depth.update([course("q:" + name, 0), course("q:" + name, 1), course("q:" + name, 2)]);
      flow.update([5, 7, 8].map((i) => smooth(speed("q:" + name, i))));
      tabsOf(
        tabs,
        [
          ["ready", "Ready", q.ready],
          ["leased", "Leased", q.leased],
          ["scheduled", "Scheduled", q.scheduled],
          ["partitions", "Partitions", q.partitions.length],
        ],
        view,
        (v) => queueHref(name, v),
      );
      items.update(q);
      settings(facts, q);
    },
    close() {
      depth.close();
      flow.close();
      items.close();
    },
  };
}

export function tabsOf(nav, tabs, current, href) {
  if (nav.childElementCount !== tabs.length) {
    fill(
      nav,
      tabs.map(([v, label]) =>
        h("a", { href: href(v), "aria-current": v === current ? "true" : undefined }, label, h("b")),
      ),
    );
  }
  tabs.forEach(([, , n], i) => say(nav.children[i].querySelector("b"), n === null ? "" : count(n)));
}

function settings(facts, q) {
  const key = JSON.stringify([
    q.leaseMs,
    q.expireMs,
    q.maxAttempts,
    q.deadQueue,
    q.partitions.length,
    q.deadOf,
  ]);
  if (facts.dataset.key === key) return;
  facts.dataset.key = key;
  fill(
    facts,
    h("dt", "A lease lasts"),
    h("dd", span(q.leaseMs)),
    h("dt", "An item is kept"),
    h("dd", span(q.expireMs)),
    h("dt", "Attempts"),
    h("dd", q.maxAttempts === 0 ? "without limit" : "at most " + q.maxAttempts),
    h("dt", "Dead queue"),
    h("dd", q.deadQueue ? h("a.mono", { href: queueHref(q.deadQueue) }, q.deadQueue) : "none"),
    h("dt", "Partitions"),
    h("dd", q.partitions.length),
  );
}

function partitionTable() {
  const t = table(
    [
      { title: "Partition", get: (p) => ({ text: String(p.number), cls: "name" }) },
      {
        title: "State",
        make: () => pill(""),
        update: (node, p) =>
          setPill(
            node,
            p.failures
              ? { text: "Failing", tone: "stuck", title: p.failures + " failures in a row" }
              : p.ready + p.leased
                ? { text: "Flowing", tone: "flow" }
                : { text: "Idle" },
          ),
      },
      { title: "Ready", num: true, get: (p) => count(p.ready) },
      { title: "Leased", num: true, get: (p) => count(p.leased) },
      { title: "Scheduled", num: true, get: (p) => count(p.scheduled) },
      { title: "Oldest", num: true, get: (p) => (p.oldestAt === null ? "–" : span(now() - p.oldestAt)) },
    ],
    (p) => p.number,
    { caption: "Partitions" },
  );
  return { node: t.node, update: (q) => t.update(q.partitions), close() {} };
}

async function redrive(name) {
  const answer = await ask({
    title: "Return the dead items?",
    text: "Each goes back to the queue it came from, with all its attempts before it.",
    fields: [{ name: "limit", label: "At most", type: "number", value: 1000 }],
    go: "Redrive",
  });
  if (!answer) return;
  await run(
    () => queueCall("queue.redrive", { queue_name: name, limit: Number(answer.limit) || 1000 }),
    (r) =>
      plural((r && r.moved) || 0, "item") +
      " returned" +
      (r && r.skipped ? ", " + r.skipped + " have no source" : ""),
  );
}

async function clear(name) {
  const answer = await ask({
    title: "Clear " + name + "?",
    text: "Removed items are gone for good.",
    fields: [
      { name: "ready", label: "Ready items", type: "checkbox", value: true },
      { name: "scheduled", label: "Scheduled items", type: "checkbox" },
      {
        name: "leased",
        label: "Leased items too: their holders cannot complete them any more",
        type: "checkbox",
      },
    ],
    typed: name,
    go: "Clear",
    danger: true,
  });
  if (!answer) return;
  if (!answer.ready && !answer.scheduled && !answer.leased) {
    toast("Nothing was chosen", true);
    return;
  }
  await run(
    () =>
      queueCall("queue.clear", {
        queue_name: name,
        queue: answer.ready || answer.leased,
        scheduled: answer.scheduled,
        destructive: answer.leased,
      }),
    "The queue is cleared",
  );
}
