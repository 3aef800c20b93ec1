-- The steps that TaskHarbor's own migration looks for: it finds nothing left to do.
CREATE TABLE IF NOT EXISTS {history} (
  version    text        PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now()
);

INSERT INTO {history} (version)
VALUES ('001_init.sql'), ('002_idempotency.sql'), ('003_indexes.sql')
ON CONFLICT DO NOTHING;
