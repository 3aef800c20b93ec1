// Partitions of a stream: who reads them, who holds them, which are stuck.

import { ask, button, run } from "./actions.js";
import { get, path, post, query } from "./api.js";
import { h, nothing, pill, setPill } from "./dom.js";
import { ago, count, left, millis, now, plural, span } from "./format.js";
import { shell } from "./items.js";
import { state } from "./store.js";
import { list } from "./tools.js";

export async function seek(queueName, group, partition) {
  const answer = await ask({
    title: "Move " + group + (partition === null ? "" : " in " + partition),
    text:
      (partition === null ? "All partitions of " + queueName + ". " : "") + "Whoever holds a lease loses it.",
    fields: [
      {
        name: "to",
        label: "To",
        type: "select",
        options: [
          ["end", "The end: skip everything unread"],
          ["begin", "The beginning: read everything again"],
          ["time", "A moment"],
        ],
      },
      { name: "at", label: "Moment (only for the last choice)", type: "datetime-local" },
    ],
    go: "Seek",
    danger: true,
  });
  if (!answer) return;
  const body =
    answer.to === "end"
      ? { toEnd: true }
      : answer.to === "begin"
        ? { toBegin: true }
        : { timestamp: answer.at ? new Date(answer.at).toISOString() : "" };
  const where =
    "/api/v1/consumer-groups/" +
    path(group) +
    "/queues/" +
    path(queueName) +
    (partition === null ? "" : "/partitions/" + path(partition)) +
    "/seek";
  await run(
    () => post(where, body),
    (a) =>
      partition === null
        ? plural(a.partitionsUpdated, "partition") + " moved"
        : a.updated
          ? "Moved"
          : "It was there already",
  );
}

/** Where each group is in each partition, the latest first. */
export function partitionList(name) {
  return list(
    [
      { title: "Partition", get: (p) => ({ text: p.partition, cls: "name", title: p.partition }) },
      { title: "Group", get: (p) => ({ text: p.group, cls: "clip", title: p.group }) },
      {
        title: "Lag",
        num: true,
        get: (p) => ({ text: count(p.offsetLag), tone: p.offsetLag ? "" : "faint" }),
      },
      {
        title: "Late by",
        num: true,
        get: (p) => ({
          text: p.timeLagSeconds ? span(p.timeLagSeconds * 1000) : "–",
          tone: p.timeLagSeconds > 60 ? "late" : "faint",
        }),
      },
      { title: "Read", num: true, wide: true, get: (p) => count(p.totalConsumed) },
      { title: "Last ack", num: true, wide: true, get: (p) => ago(millis(p.lastConsumedAt)) },
      {
        title: "Held",
        wide: true,
        make: () => pill(""),
        update: (node, p) => setPill(node, p.leaseActive ? { text: "Held", tone: "flow" } : { text: "Free" }),
      },
      {
        title: "",
        act: true,
        make: (p) =>
          h(
            "span",
            h(
              "a.btn.small",
              { href: "#/why/stream?" + query({ queue: name, partition: p.partition, group: p.group }) },
              "Why?",
            ),
            button("Seek", "work", () => seek(name, p.group, p.partition), ".small"),
            button("Park", "admin", () => park(name, p), ".small"),
          ),
      },
    ],
    (p) => p.group + "\n" + p.partition,
    () =>
      nothing(
        "No group has read a partition yet",
        "Partitions appear with the first message, cursors with the first pop.",
        "holdfast pop " + shell(name),
      ),
    async () => {
      const s = state.figures && state.figures.streams.find((x) => x.name === name);
      const rows = [];
      for (const g of s ? s.groups.slice(0, 20) : []) {
        const answer = await get("/api/v1/consumer-groups/" + path(g.name));
        const own = answer[name];
        if (own) rows.push(...own.partitions.map((p) => ({ ...p, group: g.name })));
      }
      return rows
        .sort((a, b) => b.offsetLag - a.offsetLag || a.partition.localeCompare(b.partition))
        .slice(0, 200);
    },
  );
}

async function park(name, p) {
  const answer = await ask({
    title: "Park " + p.partition + " for " + p.group + "?",
    text: "It gets nothing of this partition until it is unparked. Nothing is lost, other partitions go on.",
    fields: [{ name: "reason", label: "Reason" }],
    go: "Park",
  });
  if (answer)
    await run(
      () =>
        post("/api/v1/queues/" + path(name) + "/partitions/" + path(p.partition) + "/park", {
          consumerGroup: p.group,
          reason: answer.reason || "parked on the dashboard",
        }),
      "The partition is parked",
    );
}

export function leaseList(name) {
  return list(
    [
      { title: "Partition", get: (l) => ({ text: l.partition, cls: "name", title: l.partition }) },
      { title: "Group", get: (l) => ({ text: l.consumerGroup, cls: "clip", title: l.consumerGroup }) },
      { title: "Messages", num: true, get: (l) => count(l.messageCount) },
      { title: "Held for", num: true, get: (l) => span(now() - millis(l.leaseStartedAt)) },
      {
        title: "Ends in",
        num: true,
        get: (l) => ({
          text: left(millis(l.leaseExpiresAt)),
          tone: millis(l.leaseExpiresAt) - now() < 30000 ? "late" : "",
        }),
      },
      { title: "Fence", num: true, wide: true, get: (l) => ({ text: String(l.fence), cls: "mono" }) },
      {
        title: "",
        act: true,
        make: (l) =>
          h(
            "span",
            h(
              "a.btn.small",
              {
                href:
                  "#/why/stream?" + query({ queue: name, partition: l.partition, group: l.consumerGroup }),
              },
              "Why?",
            ),
          ),
      },
    ],
    (l) => l.consumerGroup + "\n" + l.partition,
    () =>
      nothing(
        "No partition is held",
        "While a consumer works on a batch, its partition is held and shows up here.",
      ),
    async () => {
      const { leases } = await get("/api/v1/leases?" + query({ queue: name }));
      return leases.sort((a, b) => millis(a.leaseExpiresAt) - millis(b.leaseExpiresAt)).slice(0, 200);
    },
  );
}

const REASONS = {
  expiring: ["Ends soon", "late"],
  expired: ["Lease over", "late"],
  retrying: ["Retrying", "stuck"],
  parked: ["Parked", "stuck"],
};

export function stuckList(name) {
  return list(
    [
      { title: "Partition", get: (p) => ({ text: p.partition, cls: "name", title: p.partition }) },
      { title: "Group", get: (p) => ({ text: p.consumerGroup, cls: "clip", title: p.consumerGroup }) },
      {
        title: "Why",
        make: () => pill(""),
        update: (node, p) =>
          setPill(node, {
            text: (REASONS[p.reason] || [p.reason])[0],
            tone: (REASONS[p.reason] || ["", "late"])[1],
          }),
      },
      { title: "Attempt", num: true, get: (p) => count(p.attempt) },
      {
        title: "Next try",
        num: true,
        get: (p) => (p.reason === "parked" ? "never" : ago(millis(p.readyAt))),
      },
      {
        title: "Error",
        wide: true,
        get: (p) => ({
          text: p.error || "–",
          cls: "clip",
          title: p.error || "",
          tone: p.error ? "" : "faint",
        }),
      },
      {
        title: "",
        act: true,
        make: (p) =>
          h(
            "span",
            h(
              "a.btn.small",
              {
                href:
                  "#/why/stream?" + query({ queue: name, partition: p.partition, group: p.consumerGroup }),
              },
              "Why?",
            ),
            p.reason === "parked" && button("Unpark", "admin", () => unpark(name, p), ".small.main"),
          ),
      },
    ],
    (p) => p.consumerGroup + "\n" + p.partition + "\n" + p.reason,
    () =>
      nothing(
        "Nothing is stuck",
        "Partitions whose head failed, whose lease ran out, or that were parked show up here.",
      ),
    async () => {
      const { partitions } = await get("/api/v1/partitions/stuck?" + query({ queue: name }));
      const order = ["parked", "retrying", "expired", "expiring"];
      return partitions.sort((a, b) => order.indexOf(a.reason) - order.indexOf(b.reason)).slice(0, 200);
    },
  );
}

async function unpark(name, p) {
  const answer = await ask({
    title: "Unpark " + p.partition + "?",
    text: "Delivery to " + p.consumerGroup + " goes on where it stopped, with a fresh budget of tries.",
    fields: [
      { name: "skip", label: "Skip the message at the head: it becomes a dead letter", type: "checkbox" },
    ],
    go: "Unpark",
  });
  if (answer)
    await run(
      () =>
        post("/api/v1/queues/" + path(name) + "/partitions/" + path(p.partition) + "/unpark", {
          consumerGroup: p.consumerGroup,
          skipHead: answer.skip,
        }),
      "The partition goes on",
    );
}
