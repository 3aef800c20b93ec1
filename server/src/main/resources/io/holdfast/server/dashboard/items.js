// Items of a queue, and a look at one.

import { ask, button, run } from "./actions.js";
import { queueCall } from "./api.js";
import { queueHref } from "./attention.js";
import { h, nothing } from "./dom.js";
import { ago, count, full, millis, now, payload, span } from "./format.js";
import { state } from "./store.js";
import { list } from "./tools.js";

/** Items of all partitions in one state, read again while they are looked at. */
export function itemTable(name, view) {
  const columns = [
    { title: "Item", get: (i) => ({ text: i.id, cls: "mono", title: i.id }) },
    {
      title: "Kind",
      wide: true,
      get: (i) => ({ text: i.kind || "–", cls: "clip", tone: i.kind ? "" : "faint", title: i.kind }),
    },
    {
      title: "Reference",
      wide: true,
      get: (i) => ({
        text: i.reference || "–",
        cls: "clip",
        tone: i.reference ? "" : "faint",
        title: i.reference,
      }),
    },
    { title: "Attempts", num: true, get: (i) => count(i.attempts) },
    view === "leased"
      ? {
          title: "Lease ends",
          num: true,
          get: (i) => {
            const at = millis(i.lease_deadline);
            return {
              text: at === null ? "–" : at > now() ? "in " + span(at - now()) : "over",
              tone: at !== null && at < now() ? "late" : "",
            };
          },
        }
      : view === "scheduled"
        ? {
            title: "Ready",
            num: true,
            get: (i) => ({ text: ago(millis(i.enqueue_at)), title: full(millis(i.enqueue_at)) }),
          }
        : {
            title: "Waits for",
            num: true,
            get: (i) => ({
              text: span(now() - (millis(i.created_at) || now())),
              title: full(millis(i.created_at)),
            }),
          },
    {
      title: "From",
      wide: true,
      get: (i) =>
        i.source_queue
          ? {
              text: i.source_queue + (i.dead_reason ? " (" + i.dead_reason + ")" : ""),
              href: queueHref(i.source_queue),
              cls: "clip",
            }
          : { text: "–", tone: "faint" },
    },
    {
      title: "",
      act: true,
      make: (i) => h("span", h("button.btn.small", { type: "button", onclick: () => peek(name, i) }, "Peek")),
    },
  ];
  const empty = () =>
    view === "ready"
      ? nothing(
          "Nothing is ready",
          "What is produced now shows up here.",
          "holdfast produce " + shell(name) + ' \'{"hello": "world"}\'',
        )
      : view === "leased"
        ? nothing(
            "Nobody holds an item",
            "Leases of consumers show up here, with the time they have left.",
            "holdfast lease " + shell(name),
          )
        : nothing("Nothing is scheduled", "Items produced for later, and retries that wait, show up here.");
  return list(
    columns.filter(Boolean),
    (i) => i.partition + ":" + i.id,
    empty,
    async () => {
      const q = state.figures && state.figures.queues.find((x) => x.name === name);
      const partitions = q ? q.partitions.map((p) => p.number) : [0];
      const found = [];
      for (const partition of partitions.slice(0, 16)) {
        const verb = view === "scheduled" ? "storage/scheduled.list" : "storage/items.list";
        const answer = await queueCall(verb, { queue_name: name, partition, limit: 200 });
        for (const item of answer.items || []) {
          const isLeased = Boolean(item.is_leased);
          if (view === "scheduled" || isLeased === (view === "leased"))
            found.push({ attempts: 0, kind: "", reference: "", ...item, partition });
        }
      }
      if (view === "leased") found.sort((a, b) => millis(a.lease_deadline) - millis(b.lease_deadline));
      return found.slice(0, 100);
    },
  );
}

export function shell(text) {
  return /^[A-Za-z0-9_./-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
}

function peek(queueName, item) {
  const facts = [
    ["Partition", item.partition],
    ["Attempts", item.attempts],
    ["Created", full(millis(item.created_at))],
    ["Expires", full(millis(item.expire_deadline))],
    ["Why not running", why(queueName, item)],
  ];
  if (item.reference) facts.push(["Reference", item.reference]);
  if (item.kind) facts.push(["Kind", item.kind]);
  if (item.encoding) facts.push(["Encoding", item.encoding]);
  if (item.source_id)
    facts.push(["Was", item.source_id + (item.source_queue ? " in " + item.source_queue : "")]);
  if (item.dead_reason) facts.push(["Given up because", item.dead_reason]);
  show(item.id, facts, payload(item.payload), [
    button(
      "Delete",
      "admin",
      async () => {
        const sure = await ask({
          title: "Delete this item?",
          text: "It is gone for good, whoever holds it.",
          go: "Delete",
          danger: true,
        });
        if (sure)
          await run(
            () =>
              queueCall("storage/items.delete", {
                queue_name: queueName,
                partition: item.partition,
                ids: [item.id],
              }),
            "The item is deleted",
          );
      },
      ".danger",
    ),
  ]);
}

/** What the queue says about one item, in words. */
function why(queueName, item) {
  if (item.is_leased) {
    const at = millis(item.lease_deadline);
    return at > now()
      ? "Somebody works on it, until " + full(at)
      : "Its lease is over; it returns to the tail at once";
  }
  const at = millis(item.enqueue_at);
  if (at) return "It is scheduled: ready " + ago(at);
  const q = state.figures && state.figures.queues.find((x) => x.name === queueName);
  if (q && q.paused) return "The queue is paused: resume it";
  if (q && q.waiters === 0 && q.leased === 0) return "It is ready, but nobody asks for items of this queue";
  return "It is ready: what is before it in its partition goes first";
}

/** Facts and a payload in a dialog. */
export function show(title, facts, text, buttons = []) {
  const dialog = h(
    "dialog.peek",
    { "aria-label": title },
    h("h2.mono", { dir: "auto" }, title),
    h(
      "dl.facts",
      facts
        .filter(([, v]) => v !== undefined && v !== null && v !== "")
        .map(([k, v]) => [h("dt", k), h("dd", { dir: "auto" }, v)]),
    ),
    text !== null && (text === "" ? h("p.hint", "No payload") : h("pre", { tabindex: "0" }, text)),
    h("div.buttons", buttons, h("button.btn.main", { type: "button", onclick: () => close() }, "Close")),
  );
  function close() {
    dialog.close();
    dialog.remove();
  }
  dialog.addEventListener("cancel", (e) => {
    e.preventDefault();
    close();
  });
  dialog.addEventListener("click", (e) => {
    if (e.target === dialog) close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return close;
}
