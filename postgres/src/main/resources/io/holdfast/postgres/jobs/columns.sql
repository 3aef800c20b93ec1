-- Our own part: additive, with constant defaults, so it also suits a table in use.
ALTER TABLE {jobs}
  ADD COLUMN IF NOT EXISTS priority         smallint NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS rank_at          timestamptz,
  ADD COLUMN IF NOT EXISTS deliveries       int      NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS excused          int      NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS last_token       text,
  ADD COLUMN IF NOT EXISTS outcome          text,
  ADD COLUMN IF NOT EXISTS finished_at      timestamptz,
  ADD COLUMN IF NOT EXISTS lease_owner      text,
  ADD COLUMN IF NOT EXISTS cancel_requested boolean  NOT NULL DEFAULT false,
  ADD COLUMN IF NOT EXISTS limit_key        text,
  ADD COLUMN IF NOT EXISTS gate_at          timestamptz,
  ADD COLUMN IF NOT EXISTS progress         smallint,
  ADD COLUMN IF NOT EXISTS progress_note    text,
  ADD COLUMN IF NOT EXISTS checkpoint       bytea,
  ADD COLUMN IF NOT EXISTS output           bytea,
  ADD COLUMN IF NOT EXISTS dlq_attempts     int,
  ADD COLUMN IF NOT EXISTS dlq_count        int      NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS trace_id         text;

ALTER TABLE {jobs} SET (
  fillfactor = 85,
  vacuum_truncate = off,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 0
);
