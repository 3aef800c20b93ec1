// Calls to the server. A token lives in this tab only, and travels in a header: no cookies.

const KEY = "holdfast-token";
let asking = null;

function headers(more) {
  const all = { ...more };
  const token = sessionStorage.getItem(KEY);
  if (token) all.Authorization = "Bearer " + token;
  return all;
}

export class Failed extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

let askForToken = async () => {
  throw new Failed("A token is needed", 401);
};

/** Who asks the person for a token: given whether the last one was refused, resolves when there is one. */
export function onTokenNeeded(ask) {
  askForToken = ask;
}

export function setToken(token) {
  sessionStorage.setItem(KEY, token);
}

export function forgetToken() {
  sessionStorage.removeItem(KEY);
}

export function hasToken() {
  return sessionStorage.getItem(KEY) !== null;
}

/** One dialog, however many calls were refused. */
function tokenNeeded() {
  asking =
    asking ||
    askForToken(hasToken()).finally(() => {
      asking = null;
    });
  return asking;
}

async function send(method, path, body, extra) {
  const token = sessionStorage.getItem(KEY);
  const init = {
    method,
    headers: headers(extra),
    cache: "no-store",
    credentials: "omit",
    referrerPolicy: "no-referrer",
  };
  if (body !== undefined) {
    init.headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new Failed("The server does not answer", 0);
  }
  if (response.status === 401) {
    // Another call may have brought a new token while this one was on its way with the old.
    if (sessionStorage.getItem(KEY) === token) await tokenNeeded();
    return send(method, path, body, extra);
  }
  return response;
}

function why(status, text) {
  try {
    const json = JSON.parse(text);
    return json.error || json.message || text;
  } catch {
    return text || "HTTP status " + status;
  }
}

async function call(method, path, body, extra) {
  const response = await send(method, path, body, extra);
  const text = await response.text();
  if (response.status >= 400) throw new Failed(why(response.status, text), response.status);
  return text === "" ? null : JSON.parse(text);
}

export const get = (path) => call("GET", path);
export const post = (path, body) => call("POST", path, body === undefined ? {} : body);
export const del = (path) => call("DELETE", path);
/** Querator's wire, with the fields that only we have. */
export const queueCall = (verb, body) => call("POST", "/v1/" + verb, body, { "Holdfast-Extensions": "1" });

/** A path with these segments. */
export function path(...segments) {
  return segments.map(encodeURIComponent).join("/");
}

export function query(fields) {
  const all = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null && value !== "") all.set(name, value);
  }
  return all.toString();
}

/** Reads server-sent events for ever, connecting again when the connection ends. */
export async function listen(on) {
  let pause = 500;
  for (;;) {
    try {
      const response = await send("GET", "/events", undefined, { Accept: "text/event-stream" });
      if (!response.ok) throw new Failed(why(response.status, await response.text()), response.status);
      on.open();
      pause = 500;
      await read(response.body.getReader(), on);
      on.lost("The connection ended");
    } catch (e) {
      on.lost(e.message);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, 8000);
  }
}

async function read(reader, on) {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    // Heartbeats come every ten seconds: silence means that the connection is dead.
    let timer;
    const silence = new Promise((_, no) => {
      timer = setTimeout(() => no(new Failed("The server is silent", 0)), 30000);
    });
    const { done, value } = await Promise.race([reader.read(), silence])
      .finally(() => clearTimeout(timer))
      .catch((e) => {
        reader.cancel();
        throw e;
      });
    if (done) return;
    text += decoder.decode(value, { stream: true });
    let end;
    while ((end = text.indexOf("\n\n")) >= 0) {
      event(text.slice(0, end), on);
      text = text.slice(end + 2);
    }
  }
}

function event(block, on) {
  let name = "message";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data += line.slice(6);
  }
  if (data) on.event(name, JSON.parse(data));
}
