CREATE TABLE {counters} (
  fence_key text   PRIMARY KEY,
  fence     bigint NOT NULL DEFAULT 0,
  key_debug text
) WITH (fillfactor = 50, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0.05);
