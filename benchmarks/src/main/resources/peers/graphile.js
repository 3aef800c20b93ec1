// graphile-worker as its performance guide says: a local queue, and completions in batches.
"use strict";

const { Logger, makeWorkerUtils, run, runMigrations } = require("graphile-worker");
const { performance } = require("node:perf_hooks");
const { setTimeout: pause } = require("node:timers/promises");
const { countdown, obey } = require("./orders.js");

const TASK = "bench";
const logger = new Logger(() => (level, message) => {
  if (level === "error") {
    process.stderr.write(`graphile-worker: ${message}\n`);
  }
});

obey((database) => {
  const connectionString = database.url;
  let runner;
  let count;

  async function utilities(work) {
    const utils = await makeWorkerUtils({ connectionString, logger });
    try {
      return await work(utils);
    } finally {
      await utils.release();
    }
  }

  function start(concurrency, ahead, handler) {
    return run({
      connectionString,
      logger,
      noHandleSignals: true,
      taskList: { [TASK]: handler },
      parsedCronItems: [],
      preset: {
        worker: {
          concurrentJobs: concurrency,
          maxPoolSize: concurrency + 1,
          localQueue: { size: ahead },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
  }

  return {
    async setUp() {
      await runMigrations({ connectionString, logger });
    },

    async fill(jobs, batch) {
      await utilities(async (utils) => {
        for (let from = 0; from < jobs; from += batch) {
          const specs = [];
          for (let i = from; i < Math.min(jobs, from + batch); i++) {
            specs.push({ identifier: TASK, payload: { id: i } });
          }
          await utils.addJobs(specs);
        }
      });
    },

    async start(jobs, concurrency, ahead) {
      count = countdown(jobs);
      runner = await start(concurrency, ahead, count.handler);
    },

    async handled() {
      return count.handled;
    },

    async stop() {
      await runner.stop();
      await runner.promise;
    },

    // Milliseconds from before a job is added to when its handler is called, one job at a time.
    async latencies(pauses, concurrency, ahead) {
      const found = [];
      let arrived;
      runner = await start(concurrency, ahead, () => arrived(performance.now()));
      await utilities(async (utils) => {
        for (const millis of pauses) {
          await pause(millis);
          const began = performance.now();
          const arrival = new Promise((resolve) => (arrived = resolve));
          await utils.addJob(TASK, { id: 1 });
          found.push((await arrival) - began);
        }
      });
      await this.stop();
      return found;
    },
  };
});
