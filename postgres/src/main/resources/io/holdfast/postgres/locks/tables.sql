CREATE TABLE {locks} (
  key            text   PRIMARY KEY,
  lock_id        text   NOT NULL,
  expires_at_ms  bigint NOT NULL,
  acquired_at_ms bigint NOT NULL,
  fence          text   NOT NULL,
  user_key       text   NOT NULL
) WITH (vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0.05);
