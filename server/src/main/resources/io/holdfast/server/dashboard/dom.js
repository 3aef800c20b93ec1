// Elements. Whatever comes from data goes in as text: nothing here reads markup.

/** An element: h("a.btn", {href}, "text", child). Functions in on… are listeners. */
export function h(spec, ...rest) {
  const [tag, ...classes] = spec.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length) node.className = classes.join(" ");
  let children = rest;
  const first = rest[0];
  if (first && typeof first === "object" && !(first instanceof Node) && !Array.isArray(first)) {
    children = rest.slice(1);
    for (const [name, value] of Object.entries(first)) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "href") link(node, value);
      else if (name in node && name !== "list" && typeof value !== "string") node[name] = value;
      else node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) add(node, child);
    else node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Only addresses of our own pages. */
function link(node, href) {
  if (href.startsWith("#/") || href === "#main") node.setAttribute("href", href);
}

/** Changes the text only if it is another one, so that nothing flickers and selections stay. */
export function say(node, text) {
  const next = text === null || text === undefined ? "" : String(text);
  if (node.textContent !== next) node.textContent = next;
}

export function tone(node, name) {
  if (name) {
    if (node.dataset.tone !== name) node.dataset.tone = name;
  } else delete node.dataset.tone;
}

export function pill(text, name) {
  const node = h("span.pill", text);
  tone(node, name);
  return node;
}

export function setPill(node, state) {
  say(node, state.text);
  tone(node, state.tone);
  node.title = state.title || "";
}

/** Puts these children in place of what is there. */
export function fill(node, ...children) {
  node.replaceChildren();
  add(node, children);
  return node;
}

/**
 * A table whose rows are kept while their key is. A column has a title, and either
 * get(item) -> {text, href, tone, title, cls}, or make(item) and update(node, item).
 */
export function table(columns, key, options = {}) {
  const body = h("tbody");
  const rows = new Map();
  const node = h(
    "div.scroll",
    h(
      "table",
      h("caption.sr", options.caption || ""),
      h(
        "thead",
        h(
          "tr",
          columns.map((c) =>
            h(
              "th" + (c.num ? ".n" : "") + (c.wide ? ".wide" : "") + (c.act ? ".act" : ""),
              { scope: "col" },
              c.title,
            ),
          ),
        ),
      ),
      body,
    ),
  );
  const empty = h("div");
  const whole = h("div", node, empty);

  function cell(column, item) {
    const td = h("td" + (column.num ? ".n" : "") + (column.wide ? ".wide" : "") + (column.act ? ".act" : ""));
    if (column.make) td.append(column.make(item));
    return td;
  }

  function show(td, column, item) {
    if (column.make) {
      if (column.update) column.update(td.firstChild, item);
      return;
    }
    const value = column.get(item);
    const is = typeof value === "object" && value !== null ? value : { text: value };
    let inner = td.firstChild;
    const tag = is.href ? "A" : "SPAN";
    if (!inner || inner.tagName !== tag) {
      inner = document.createElement(tag);
      td.replaceChildren(inner);
    }
    const classes = [is.cls || "", is.tone ? "t-" + is.tone : ""].join(" ").trim();
    if (inner.className !== classes) inner.className = classes;
    if (is.href && inner.getAttribute("href") !== is.href) link(inner, is.href);
    if (is.cls && (is.cls.includes("name") || is.cls.includes("clip"))) inner.style.display = "block";
    const title = is.title === undefined ? "" : String(is.title);
    if (inner.title !== title) inner.title = title;
    say(inner, is.text);
  }

  return {
    node: whole,
    update(items) {
      const seen = new Set();
      let before = body.firstChild;
      for (const item of items) {
        const id = key(item);
        if (seen.has(id)) continue;
        seen.add(id);
        let row = rows.get(id);
        if (!row) {
          const cells = columns.map((c) => cell(c, item));
          row = { tr: h("tr", cells), cells };
          rows.set(id, row);
        }
        row.cells.forEach((td, i) => show(td, columns[i], item));
        if (row.tr !== before) body.insertBefore(row.tr, before);
        else before = before.nextSibling;
      }
      for (const [id, row] of rows) {
        if (!seen.has(id)) {
          row.tr.remove();
          rows.delete(id);
        }
      }
      node.hidden = items.length === 0;
      empty.hidden = items.length > 0;
      if (items.length === 0 && options.empty && !empty.firstChild) empty.append(options.empty());
    },
  };
}

/** A command that can be copied. */
export function command(text) {
  const button = h(
    "button.btn.small",
    {
      type: "button",
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = "Copied";
        } catch {
          button.textContent = "Select and copy";
        }
        setTimeout(() => {
          button.textContent = "Copy";
        }, 1500);
      },
    },
    "Copy",
  );
  return h("div.code", h("code", text), button);
}

/** What stands where nothing is yet. */
export function nothing(title, text, code) {
  return h("div.empty", h("h3", title), h("p", text), code && command(code));
}

export function card(title, options, ...children) {
  const o = options || {};
  return h(
    "section.card",
    title !== null && h("header", h("h2", title), o.note && h("small", o.note), h("span.grow"), o.side),
    ...children,
  );
}
