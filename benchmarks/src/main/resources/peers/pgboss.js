// pg-boss by its fetch and complete in batches: a worker of its own would wait between two fetches.
"use strict";

const PgBoss = require("pg-boss");
const { countdown, obey } = require("./orders.js");

const QUEUE = "bench";
const CONNECTIONS = 10;

obey((database) => {
  let boss;
  let count;

  async function open() {
    boss = new PgBoss({
      connectionString: database.url,
      max: CONNECTIONS,
      supervise: false,
      schedule: false,
    });
    boss.on("error", (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
    await boss.start();
  }

  async function close() {
    await boss.stop({ graceful: false, close: true });
  }

  // Fetches, calls the handler for each job, completes.
  async function work(count, batch, handler) {
    let isOver = false;
    async function loop() {
      while (!isOver) {
        const jobs = await boss.fetch(QUEUE, { batchSize: batch });
        jobs.forEach(handler);
        if (jobs.length === 0) {
          isOver = true;
        } else {
          await boss.complete(QUEUE, jobs.map((job) => job.id));
        }
      }
    }
    await Promise.all(Array.from({ length: count }, loop));
  }

  return {
    async setUp() {
      await open();
      await boss.createQueue(QUEUE);
      await close();
    },

    async fill(jobs, batch) {
      await open();
      for (let from = 0; from < jobs; from += batch) {
        const drafts = [];
        for (let i = from; i < Math.min(jobs, from + batch); i++) {
          drafts.push({ name: QUEUE, data: { id: i } });
        }
        await boss.insert(drafts);
      }
      await close();
    },

    async start(jobs, loops, batch) {
      await open();
      count = countdown(jobs);
      work(loops, batch, count.handler).catch((error) => {
        process.stderr.write(`${error.stack}\n`);
        process.exit(1);
      });
    },

    async handled() {
      return count.handled;
    },

    async stop() {
      await close();
    },
  };
});
