// Changing things: ask, do, say what came of it.

import { h } from "./dom.js";
import { may } from "./store.js";

export function toast(text, isBad) {
  const node = h("div.toast" + (isBad ? ".bad" : ""), text);
  document.getElementById("toasts").append(node);
  setTimeout(() => node.remove(), isBad ? 9000 : 5000);
}

/** Does it, says what came of it, and answers whether it worked. */
export async function run(work, done) {
  try {
    const answer = await work();
    const text = typeof done === "function" ? done(answer) : done;
    if (text) toast(text);
    return true;
  } catch (e) {
    toast(e.message, true);
    return false;
  }
}

/**
 * A dialog. fields: [{name, label, type, value, options}]; typed: what must be typed to go on.
 * Resolves to the values, or null.
 */
export function ask({ title, text, fields = [], typed, go = "Go on", danger = false }) {
  return new Promise((resolve) => {
    const inputs = {};
    const ok = h(
      "button.btn.main" + (danger ? ".danger" : ""),
      { type: "submit", disabled: Boolean(typed) },
      go,
    );
    const dialog = h(
      "dialog",
      { "aria-label": title },
      h(
        "form",
        {
          method: "dialog",
          onsubmit: (e) => {
            e.preventDefault();
            if (!ok.disabled) close(values());
          },
        },
        h("h2", title),
        text && h("p", text),
        fields.map((f) => field(f, inputs)),
        typed &&
          h(
            "label",
            "Type ",
            h("b.mono", typed),
            " to confirm",
            h("input", {
              type: "text",
              name: "confirm",
              autocomplete: "off",
              spellcheck: "false",
              oninput: (e) => {
                ok.disabled = e.target.value !== typed;
              },
            }),
          ),
        h("div.buttons", h("button.btn", { type: "button", onclick: () => close(null) }, "Cancel"), ok),
      ),
    );

    function values() {
      const all = {};
      for (const [name, input] of Object.entries(inputs))
        all[name] = input.type === "checkbox" ? input.checked : input.value;
      return all;
    }

    function close(answer) {
      dialog.close();
      dialog.remove();
      resolve(answer);
    }
    dialog.addEventListener("cancel", (e) => {
      e.preventDefault();
      close(null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

function field(f, inputs) {
  let input;
  if (f.type === "select") {
    input = h(
      "select",
      { name: f.name },
      f.options.map(([value, label]) => h("option", { value }, label)),
    );
    input.value = f.value || f.options[0][0];
  } else {
    input = h("input", { type: f.type || "text", name: f.name, autocomplete: "off" });
    if (f.type === "checkbox") input.checked = Boolean(f.value);
    else input.value = f.value === undefined ? "" : f.value;
  }
  inputs[f.name] = input;
  return f.type === "checkbox" ? h("label.check", input, f.label) : h("label", f.label, input);
}

/** A button that is dead without the role. */
export function button(label, role, onclick, look = "") {
  const allowed = may(role);
  return h(
    "button.btn" + look,
    {
      type: "button",
      disabled: !allowed,
      title: allowed ? "" : "The token lacks the role " + role,
      onclick: async (e) => {
        const self = e.currentTarget;
        self.disabled = true;
        try {
          await onclick();
        } finally {
          self.disabled = false;
        }
      },
    },
    label,
  );
}

/** Asks for a token until the server takes one. */
export function askToken(wasRefused) {
  return new Promise((resolve) => {
    const error = h("p.error", { role: "alert" }, wasRefused ? "The token was refused." : "");
    const input = h("input", { type: "password", name: "token", autocomplete: "off", "aria-label": "Token" });
    const dialog = h(
      "dialog",
      { "aria-label": "Token" },
      h(
        "form",
        {
          method: "dialog",
          onsubmit: (e) => {
            e.preventDefault();
            if (!input.value.trim()) return;
            dialog.close();
            dialog.remove();
            resolve(input.value.trim());
          },
        },
        h("h2", "This server wants a token"),
        h(
          "p",
          "It is kept in this tab only, until you close it. An administrator makes one with holdfast token create.",
        ),
        h("label", "Token", input),
        error,
        h("div.buttons", h("button.btn.main", { type: "submit" }, "Sign in")),
      ),
    );
    dialog.addEventListener("cancel", (e) => e.preventDefault());
    document.body.append(dialog);
    dialog.showModal();
    input.focus();
  });
}
