// Messages of a stream, and those that were given up.

import { ask, button, run } from "./actions.js";
import { del, get, path, post, query } from "./api.js";
import { h, nothing, pill, setPill } from "./dom.js";
import { ago, count, full, millis, plural, pretty } from "./format.js";
import { shell, show } from "./items.js";
import { list } from "./tools.js";

function written(data) {
  return data === undefined ? "" : typeof data === "string" ? pretty(data) : JSON.stringify(data, null, 2);
}

export function deadList(name) {
  const back = (body, done) =>
    run(
      () => post("/api/v1/dlq/redrive", body),
      (a) => plural(a.results.filter((r) => r.verdict !== "not_found").length, "message") + " " + done,
    );
  const rows = list(
    [
      { title: "Message", get: (d) => ({ text: d.transactionId, cls: "clip mono", title: d.transactionId }) },
      { title: "Partition", get: (d) => ({ text: d.partition, cls: "clip", title: d.partition }) },
      {
        title: "Group",
        wide: true,
        get: (d) => ({ text: d.consumerGroup, cls: "clip", title: d.consumerGroup }),
      },
      {
        title: "Error",
        get: (d) => ({ text: d.errorMessage || d.reason, cls: "clip", title: d.errorMessage || d.reason }),
      },
      { title: "Tries", num: true, wide: true, get: (d) => count(d.retryCount) },
      {
        title: "Given up",
        num: true,
        get: (d) => ({ text: ago(millis(d.failedAt)), title: full(millis(d.failedAt)) }),
      },
      {
        title: "",
        act: true,
        make: (d) =>
          h(
            "span",
            h(
              "button.btn.small",
              {
                type: "button",
                onclick: () =>
                  show(
                    d.transactionId,
                    [
                      ["Partition", d.partition],
                      ["Group", d.consumerGroup],
                      ["Reason", d.reason],
                      ["Error", d.errorMessage],
                      ["Pushed", full(millis(d.createdAt))],
                      ["Given up", full(millis(d.failedAt))],
                      ["Pushed by", d.producerSub],
                    ],
                    written(d.data),
                  ),
              },
              "Peek",
            ),
            button(
              "Redrive",
              "admin",
              async () => {
                await back({ ids: [d.dlqId] }, "goes back to " + d.consumerGroup);
                rows.refresh();
              },
              ".small.main",
            ),
          ),
      },
    ],
    (d) => d.dlqId,
    () =>
      nothing(
        "Nothing was given up",
        "Messages that failed once more than their budget show up here, with their error, and can be sent back.",
      ),
    async () => (await get("/api/v1/dlq?" + query({ queue: name, limit: 100 }))).messages,
  );
  const bar = h(
    "div.buttons.pad",
    button(
      "Redrive all",
      "admin",
      async () => {
        const answer = await ask({
          title: "Return all dead letters?",
          text: "Each goes back to the group that gave it up, at the end of its partition.",
          fields: [{ name: "limit", label: "At most", type: "number", value: 1000 }],
          go: "Redrive",
        });
        if (answer) await back({ queue: name, limit: Number(answer.limit) || 1000 }, "returned");
        rows.refresh();
      },
      ".main",
    ),
    button(
      "Purge",
      "admin",
      async () => {
        const sure = await ask({
          title: "Delete all dead letters of " + name + "?",
          text: "They are gone for good.",
          typed: name,
          go: "Delete",
          danger: true,
        });
        if (sure)
          await run(() => del("/api/v1/dlq?" + query({ queue: name })), "The dead letters are deleted");
        rows.refresh();
      },
      ".danger",
    ),
  );
  return { node: h("div", bar, rows.node), update: rows.update, close: rows.close };
}

export function messageList(name) {
  return list(
    [
      { title: "Message", get: (m) => ({ text: m.transactionId, cls: "clip mono", title: m.transactionId }) },
      { title: "Partition", get: (m) => ({ text: m.partition, cls: "clip", title: m.partition }) },
      {
        title: "State",
        make: () => pill(""),
        update: (node, m) =>
          setPill(node, {
            text: m.status.replace("_", " "),
            tone:
              m.status === "completed"
                ? "flow"
                : m.status === "dead_letter"
                  ? "dead"
                  : m.status === "processing"
                    ? "accent"
                    : "",
          }),
      },
      {
        title: "Pushed",
        num: true,
        get: (m) => ({ text: ago(millis(m.createdAt)), title: full(millis(m.createdAt)) }),
      },
      {
        title: "Trace",
        wide: true,
        get: (m) =>
          m.traceId
            ? { text: m.traceId, href: "#/trace/" + path(m.traceId), cls: "clip mono" }
            : { text: "–", tone: "faint" },
      },
      {
        title: "",
        act: true,
        make: (m) => h("span", h("button.btn.small", { type: "button", onclick: () => peek(m) }, "Peek")),
      },
    ],
    (m) => m.id,
    () =>
      nothing(
        "No messages",
        "What was pushed in the last hour shows up here.",
        "holdfast push " + shell(name) + ' \'{"hello": "world"}\'',
      ),
    async () => (await get("/api/v1/messages?" + query({ queue: name, limit: 50 }))).messages,
  );
}

async function peek(m) {
  await run(async () => {
    const whole = await get("/api/v1/messages/" + path(m.partitionId, m.transactionId));
    show(
      m.transactionId,
      [
        ["Partition", m.partition],
        ["State", m.status],
        ["Pushed", full(millis(m.createdAt))],
        ["Pushed by", m.producerSub],
        ["Trace", m.traceId],
        ["Error", whole.errorMessage],
        [
          "Read by",
          (whole.consumerGroups || [])
            .filter((g) => g.consumed)
            .map((g) => g.name)
            .join(", "),
        ],
      ],
      written(whole.payload),
    );
  });
}
