-- What jobs have besides the table th_jobs, which lives where TaskHarbor's clients find it.

-- Settings of queues; a queue without a row has the defaults.
CREATE TABLE holdfast.job_queues (
  queue             text        PRIMARY KEY,
  paused_at         timestamptz,
  paused_by         text,
  done_keep_ms      bigint      NOT NULL DEFAULT 86400000,
  dlq_keep_ms       bigint      DEFAULT 2592000000, -- null: for ever
  delivery_limit    integer     NOT NULL DEFAULT 20,
  default_limit_key text,
  updated_at        timestamptz NOT NULL
);

-- Limits of keys; '*' stands for every other key of the queue.
CREATE TABLE holdfast.job_limits (
  queue       text   NOT NULL,
  limit_key   text   NOT NULL,
  max_running integer,
  rate        double precision,
  per_ms      bigint,
  burst       double precision,
  PRIMARY KEY (queue, limit_key)
);

-- Written and locked by admission only: whoever admits jobs of a key holds its row.
CREATE TABLE holdfast.job_keys (
  queue       text NOT NULL,
  limit_key   text NOT NULL,
  tokens      double precision,
  refilled_at timestamptz,
  PRIMARY KEY (queue, limit_key)
);

-- One row per worker; unlogged would lose them in a crash, and they are few.
CREATE TABLE holdfast.job_workers (
  worker_id  text        PRIMARY KEY,
  host       text        NOT NULL,
  queues     text[]      NOT NULL,
  types      text[]      NOT NULL,
  slots      integer     NOT NULL,
  started_at timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL
);

CREATE TABLE holdfast.job_schedules (
  name           text        PRIMARY KEY,
  queue          text        NOT NULL,
  type           text        NOT NULL,
  payload        bytea       NOT NULL,
  priority       smallint    NOT NULL DEFAULT 0,
  max_attempts   integer     NOT NULL DEFAULT 0,
  timeout_nanos  bigint      NOT NULL DEFAULT 0,
  limit_key      text,
  cron           text        NOT NULL,
  zone           text        NOT NULL,
  missed         text        NOT NULL,
  catch_up_limit integer     NOT NULL DEFAULT 100,
  overlap        text        NOT NULL,
  enabled        boolean     NOT NULL DEFAULT true,
  next_at        timestamptz NOT NULL,
  last_slot      timestamptz,
  last_job_id    text
);

CREATE INDEX job_schedules_next_idx ON holdfast.job_schedules (next_at) WHERE enabled;
