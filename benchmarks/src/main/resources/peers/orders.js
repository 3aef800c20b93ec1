// Obeys orders that come as one JSON array per line, [name, ...arguments], and answers each with one
// line of JSON. The first line is where the database is: so no password stands on a command line.
"use strict";

const { performance } = require("node:perf_hooks");
const readline = require("node:readline");

async function listen(open) {
  const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const first = await lines.next();
  const orders = open(JSON.parse(first.value));
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    const [name, ...rest] = JSON.parse(line.value);
    const answer = await orders[name](...rest);
    process.stdout.write(JSON.stringify(answer ?? null) + "\n");
  }
}

function obey(open) {
  listen(open).catch((error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  });
}

// A handler that counts its calls; "handled" is the seconds from the first to the last of them.
function countdown(calls) {
  let left = calls;
  let first;
  let done;
  const handled = new Promise((resolve) => (done = resolve));
  const handler = () => {
    first ??= performance.now();
    if (--left === 0) {
      done((performance.now() - first) / 1000);
    }
  };
  return { handler, handled };
}

module.exports = { countdown, obey };
