// The frame: routes, the live connection, theme, search.

import { askToken } from "./actions.js";
import { forgetToken, get, listen, onTokenNeeded, setToken } from "./api.js";
import { recolour } from "./charts.js";
import { fill, h, say } from "./dom.js";
import { whyPartition } from "./explain.js";
import { span, time } from "./format.js";
import { job } from "./job.js";
import { jobQueue, jobs } from "./jobs.js";
import { lock, locks } from "./locks.js";
import { overview } from "./overview.js";
import { queue, queues } from "./queues.js";
import { state, take, takeHistory } from "./store.js";
import { stream, streams } from "./streams.js";
import { doctor, search, trace } from "./tools.js";

const byId = (id) => document.getElementById(id);
const main = byId("main");
let page = null;

function route() {
  const hash = location.hash.startsWith("#/") ? location.hash.slice(2) : "";
  const [where, asked] = [hash.split("?")[0], hash.includes("?") ? hash.slice(hash.indexOf("?") + 1) : ""];
  const params = Object.fromEntries(new URLSearchParams(asked));
  const parts = where.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  const [first, name] = parts;
  switch (first) {
    case "":
      return ["overview", overview()];
    case "queues":
      return ["queues", parts.length > 1 ? queue({ ...params, name }) : queues()];
    case "streams":
      return ["streams", parts.length > 1 ? stream({ ...params, name }) : streams()];
    case "jobs":
      return ["jobs", parts.length > 1 ? jobQueue({ ...params, name }) : jobs()];
    case "job":
      return ["jobs", job({ id: name || "" })];
    case "locks":
      return ["locks", parts.length > 1 ? lock({ name }) : locks()];
    case "trace":
      return ["trace", trace({ id: name })];
    case "why":
      return ["streams", whyPartition(params)];
    case "doctor":
      return ["doctor", doctor()];
    default:
      return [
        "",
        {
          title: "Not here",
          node: h(
            "div.empty",
            h("h3", "There is no such page"),
            h("p", h("a", { href: "#/" }, "Go to the overview")),
          ),
          update() {},
        },
      ];
  }
}

function show() {
  if (location.hash === "#main") {
    history.replaceState(null, "", "#/");
    main.focus();
    return;
  }
  const before = page;
  const scrolled = before && samePlace() ? window.scrollY : 0;
  if (before && before.close) before.close();
  const [name, next] = route();
  page = next;
  fill(main, next.node);
  document.title = next.title === "Overview" ? "Holdfast" : next.title + " – Holdfast";
  for (const link of document.querySelectorAll(".nav a")) {
    if (link.dataset.page === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (state.figures) next.update(state.figures);
  window.scrollTo(0, scrolled);
}

let place = "";
/** Whether only the part behind the question mark changed: then the page does not jump. */
function samePlace() {
  const now = location.hash.split("?")[0];
  const same = now === place;
  place = now;
  return same;
}

function pulse(name, text) {
  const node = byId("pulse");
  if (node.dataset.state !== name) node.dataset.state = name;
  say(node.querySelector("b"), text);
  node.title = text;
}

function banner(text) {
  const node = byId("banner");
  node.hidden = !text;
  if (text) say(node, text);
}

function theme(choice) {
  const dark =
    choice === "dark" || (choice !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  recolour();
}

function remembered() {
  try {
    return localStorage.getItem("holdfast-theme");
  } catch {
    return null;
  }
}

theme(remembered());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme(remembered()));
byId("theme").addEventListener("click", () => {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("holdfast-theme", next);
  } catch {
    // it holds for this page then
  }
  theme(next);
});

onTokenNeeded(async (wasRefused) => {
  forgetToken();
  setToken(await askToken(wasRefused));
});

const query = byId("query");
const found = byId("found");
let chosen = 0;

function suggest() {
  const results = search(query.value.trim());
  chosen = 0;
  found.hidden = results.length === 0;
  fill(
    found,
    results.map(([kind, name, href], i) =>
      h(
        "li",
        h(
          "a" + (i === 0 ? ".on" : ""),
          { href, tabindex: "-1", onclick: () => closeSearch() },
          h("small", kind),
          h("span", { dir: "auto" }, name),
        ),
      ),
    ),
  );
}

function closeSearch() {
  query.value = "";
  found.hidden = true;
  query.blur();
}

query.addEventListener("input", suggest);
query.addEventListener("blur", () =>
  setTimeout(() => {
    found.hidden = true;
  }, 200),
);
query.addEventListener("keydown", (e) => {
  const links = [...found.querySelectorAll("a")];
  if (e.key === "Escape") closeSearch();
  if ((e.key === "ArrowDown" || e.key === "ArrowUp") && links.length) {
    e.preventDefault();
    chosen = (chosen + (e.key === "ArrowDown" ? 1 : links.length - 1)) % links.length;
    links.forEach((a, i) => a.classList.toggle("on", i === chosen));
  }
});
byId("search").addEventListener("submit", (e) => {
  e.preventDefault();
  const link = found.querySelectorAll("a")[chosen];
  if (link) {
    location.hash = link.getAttribute("href");
    closeSearch();
  }
});
document.addEventListener("keydown", (e) => {
  if (
    e.key === "/" &&
    !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName) &&
    !document.querySelector("dialog[open]")
  ) {
    e.preventDefault();
    query.focus();
  }
});

async function begin() {
  try {
    state.session = await get("/dashboard/session");
    say(
      byId("about"),
      "Holdfast " +
        state.session.version +
        (state.session.name ? ", signed in as " + state.session.name : ""),
    );
    if (state.session.name) {
      const out = h(
        "button.btn.small",
        {
          type: "button",
          onclick: () => {
            forgetToken();
            location.reload();
          },
        },
        "Sign out",
      );
      byId("about").append(" ", out);
    }
  } catch (e) {
    banner(e.message);
  }
  window.addEventListener("hashchange", show);
  samePlace();
  show();
  listen({
    open() {
      state.live = true;
      pulse("live", "Live");
      banner("");
    },
    lost(why) {
      state.live = false;
      pulse("lost", "Not connected");
      banner(why + ". Trying again …");
    },
    event(name, data) {
      if (name === "history") takeHistory(data);
      if (name === "snapshot") {
        take(data);
        banner(
          data.problem === null
            ? ""
            : "The database does not answer: " + data.problem + ". Figures are the last known ones.",
        );
        pulse(data.problem === null ? "live" : "wait", data.problem === null ? "Live" : "Database away");
        say(
          byId("took"),
          "Figures of " + time(data.at) + (data.problem === null ? ", read in " + span(data.tookMs) : ""),
        );
        if (page) page.update(data);
        document.documentElement.dataset.ready = "true";
      }
    },
  });
}

begin();
