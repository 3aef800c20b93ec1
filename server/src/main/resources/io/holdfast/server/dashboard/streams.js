// Streams: all of them, and one.

import { ask, button, run } from "./actions.js";
import { del, path, post } from "./api.js";
import { streamHref } from "./attention.js";
import { chart, drawSpark, spark } from "./charts.js";
import { NO_STREAMS, smooth, streamColumns, tile } from "./columns.js";
import { card, fill, h, nothing, pill, say, setPill, table } from "./dom.js";
import { LATE_MS, ago, count, full, now, plural, rate, span, streamState } from "./format.js";
import { shell } from "./items.js";
import { deadList, messageList } from "./messages.js";
import { leaseList, partitionList, seek, stuckList } from "./partitions.js";
import { moreNames, tabsOf } from "./queues.js";
import { course, rateNow, speed } from "./store.js";

export function streams() {
  const all = table(streamColumns(), (s) => s.name, { caption: "Streams", empty: NO_STREAMS });
  const more = h("div");
  return {
    title: "Streams",
    node: h(
      "div",
      h(
        "div.head",
        h(
          "div.grow",
          h("h1", "Streams"),
          h("p.sub", "Ordered partitions that every consumer group reads at its own pace."),
        ),
      ),
      card(null, {}, h("div.pad-top", all.node)),
      more,
    ),
    update(f) {
      all.update(f.streams);
      moreNames(more, f.more.streams, (name) => streamHref(name));
    },
  };
}

const LINES = ["--accent", "--flow", "--late", "--stuck", "--dead", "--faint"];

const VIEWS = ["groups", "partitions", "leases", "stuck", "dead", "messages"];

export function stream(params) {
  const name = params.name;
  const view = VIEWS.includes(params.show) ? params.show : "groups";
  const mark = pill("");
  const sub = h("p.sub");
  const buttons = h("div.buttons");
  const unread = tile("Unread by the slowest group", streamHref(name, "groups"), "accent");
  const held = tile("Partitions held", streamHref(name, "leases"), "flow");
  const stuck = tile("Stuck", streamHref(name, "stuck"), "");
  const dead = tile("Dead letters", streamHref(name, "dead"), "");
  const groupNames = [];
  const lagHolder = h("div");
  const lagLegend = h("div");
  let lag = null;
  const flow = chart(
    "Messages per second of " + name,
    [
      { label: "Pushed", colour: "--accent" },
      { label: "Read, all groups", colour: "--flow" },
    ],
    { format: (v) => rate(v), top: 1 },
  );
  const tabs = h("nav.tabs", { "aria-label": "Lists of this stream" });
  const lists = {
    groups: groupTable,
    partitions: partitionList,
    leases: leaseList,
    stuck: stuckList,
    dead: deadList,
    messages: messageList,
  };
  const body = lists[view](name);
  let wasKey = "";

  function actions(s) {
    const key = [s.pushPaused, s.popPaused].join();
    if (wasKey === key) return;
    wasKey = key;
    const pause = (body, text) => run(() => post("/api/v1/queues/" + path(name) + "/pause", body), text);
    fill(
      buttons,
      s.popPaused
        ? button(
            "Resume delivery",
            "admin",
            () => pause({ pop: false }, "The stream delivers again"),
            ".main",
          )
        : button("Pause delivery", "admin", () =>
            pause({ pop: true }, "The stream delivers nothing; leases go on"),
          ),
      s.pushPaused
        ? button(
            "Resume push",
            "admin",
            () => pause({ push: null }, "The stream takes messages again"),
            ".main",
          )
        : button("Pause push", "admin", () => pause({ push: "reject" }, "Pushes are refused")),
    );
  }

  /** A line for each group; made anew when groups come or go. */
  function lags(s) {
    const names = s.groups.slice(0, LINES.length).map((g) => g.name);
    if (lag === null || names.join("\n") !== groupNames.join("\n")) {
      groupNames.splice(0, groupNames.length, ...names);
      if (lag) lag.close();
      lag = chart(
        "Lag of the groups of " + name,
        names.length
          ? names.map((n, i) => ({ label: n, colour: LINES[i], fill: i === 0 }))
          : [{ label: "Unread", colour: "--accent", fill: true }],
      );
      fill(lagHolder, lag.node);
      fill(lagLegend, lag.legend);
    }
    lag.update(names.length ? names.map((n) => course("g:" + name + "\n" + n, 0)) : [course("s:" + name, 0)]);
  }

  return {
    title: name,
    node: h(
      "div",
      h(
        "div.head",
        h(
          "div.grow",
          h("p.crumb", h("a", { href: "#/streams" }, "Streams")),
          h("div.title", h("h1", { dir: "auto" }, name || "(no name)"), mark),
          sub,
        ),
        buttons,
      ),
      h("div.grid.tiles", unread.node, held.node, stuck.node, dead.node),
      h(
        "div.grid.two",
        card("Lag per group", { side: lagLegend }, lagHolder),
        card("Per second", { side: flow.legend }, flow.node),
      ),
      card(null, {}, tabs, body.node),
    ),
    update(f) {
      const s = f.streams.find((x) => x.name === name);
      if (!s) {
        say(sub, "There is no stream of this name here.");
        return;
      }
      setPill(mark, streamState(s));
      say(
        sub,
        plural(s.partitions, "partition") +
          ", " +
          plural(s.groups.length, "group") +
          (s.maxSize ? ", room for " + count(s.maxSize) + " messages" : "") +
          (s.oldestAt === null ? "" : ". The oldest unread message is " + span(now() - s.oldestAt) + " old") +
          ".",
      );
      actions(s);
      unread.set(
        count(s.depth),
        "",
        s.oldestAt === null ? "everything is read" : "oldest " + span(now() - s.oldestAt),
        course("s:" + name, 0),
        s.oldestAt !== null && now() - s.oldestAt > LATE_MS ? "late" : "accent",
      );
      held.set(
        count(s.leased),
        "of " + count(s.partitions * Math.max(1, s.groups.length)),
        "by their consumers now",
        course("s:" + name, 1),
      );
      stuck.set(
        count(s.stuck),
        "",
        s.retrying
          ? plural(s.retrying, "partition") + " retrying"
          : s.stuck
            ? "to look at"
            : "nothing is stuck",
        course("s:" + name, 2),
        s.stuck ? "stuck" : "",
      );
      dead.set(
        count(s.dead),
        "",
        s.dead ? "given up by their group" : "nothing was given up",
        course("s:" + name, 3),
        s.dead ? "dead" : "",
      );
      lags(s);
      flow.update([5, 6].map((i) => smooth(speed("s:" + name, i))));
      tabsOf(
        tabs,
        [
          ["groups", "Groups", s.groups.length],
          ["partitions", "Partitions", s.partitions],
          ["leases", "Leases", s.leased],
          ["stuck", "Stuck and retrying", s.stuck + s.retrying],
          ["dead", "Dead letters", s.dead],
          ["messages", "Messages", null],
        ],
        view,
        (v) => streamHref(name, v),
      );
      body.update(s);
    },
    close() {
      if (lag) lag.close();
      flow.close();
      body.close();
    },
  };
}

function groupTable(name) {
  const t = table(
    [
      {
        title: "Group",
        get: (g) => ({ text: g.name, cls: "name", title: g.name, href: streamHref(name, "partitions") }),
      },
      {
        title: "State",
        make: () => pill(""),
        update: (node, g) =>
          setPill(
            node,
            g.abandoned
              ? { text: "Abandoned", tone: "dead", title: "Silent for so long that it holds back nothing" }
              : g.stuck
                ? { text: "Stuck", tone: "stuck" }
                : g.lag > 0 && g.oldestAt !== null && now() - g.oldestAt > LATE_MS
                  ? { text: "Late", tone: "late" }
                  : g.lag > 0 || g.leased > 0
                    ? { text: "Flowing", tone: "flow" }
                    : { text: "Up to date" },
          ),
      },
      {
        title: "Lag",
        num: true,
        get: (g) => ({
          text: count(g.lag),
          href: streamHref(name, "partitions"),
          tone: g.lag ? "" : "faint",
        }),
      },
      {
        title: "Oldest",
        num: true,
        get: (g) => ({
          text: g.oldestAt === null ? "–" : span(now() - g.oldestAt),
          tone: g.oldestAt !== null && now() - g.oldestAt > LATE_MS ? "late" : "",
        }),
      },
      { title: "Held", num: true, get: (g) => ({ text: count(g.leased), href: streamHref(name, "leases") }) },
      {
        title: "Stuck",
        num: true,
        wide: true,
        get: (g) => ({
          text: count(g.stuck),
          href: streamHref(name, "stuck"),
          tone: g.stuck ? "stuck" : "faint",
        }),
      },
      { title: "Read / s", num: true, wide: true, get: (g) => rate(rateNow("g:" + name + "\n" + g.name, 1)) },
      {
        title: "Seen",
        num: true,
        wide: true,
        get: (g) => ({ text: ago(g.lastSeenAt), title: full(g.lastSeenAt) }),
      },
      {
        title: "Lag, 5 min",
        wide: true,
        make: () => spark(),
        update: (node, g) => drawSpark(node, course("g:" + name + "\n" + g.name, 0)),
      },
      {
        title: "",
        act: true,
        make: (g) =>
          h(
            "span",
            button("Seek", "work", () => seek(name, g.name, null), ".small"),
            button("Forget", "admin", () => forget(name, g.name), ".small.danger"),
          ),
      },
    ],
    (g) => g.name,
    {
      caption: "Groups",
      empty: () =>
        nothing(
          "No group reads this stream",
          "A group exists from its first pop on.",
          "holdfast pop " + shell(name) + " --group billing",
        ),
    },
  );
  return {
    node: t.node,
    update: (s) => t.update([...s.groups].sort((a, b) => b.stuck - a.stuck || b.lag - a.lag)),
    close() {},
  };
}

async function forget(queueName, group) {
  const sure = await ask({
    title: "Forget " + group + "?",
    text: "The group loses its place in " + queueName + ". If it pops again, it starts anew.",
    typed: group,
    go: "Forget",
    danger: true,
  });
  if (sure)
    await run(
      () =>
        del("/api/v1/consumer-groups/" + path(group) + "/queues/" + path(queueName) + "?deleteMetadata=true"),
      "The group is forgotten",
    );
}
