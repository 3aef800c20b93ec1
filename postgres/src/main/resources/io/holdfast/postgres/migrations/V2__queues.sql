-- Which queues there are. Their items are in tables of their own, one per partition, made on first use.
CREATE TABLE IF NOT EXISTS holdfast.queues (
  name                 text        COLLATE "C" PRIMARY KEY,
  namespace            text        NOT NULL DEFAULT '',
  lease_timeout_ns     bigint      NOT NULL,
  expire_timeout_ns    bigint      NOT NULL,
  dead_queue           text        NOT NULL DEFAULT '',
  max_attempts         integer     NOT NULL DEFAULT 0,
  reference            text        NOT NULL DEFAULT '',
  requested_partitions integer     NOT NULL,
  partition_info       jsonb       NOT NULL DEFAULT '[]',
  created_at           timestamptz NOT NULL,
  updated_at           timestamptz NOT NULL,
  table_hash           text        COLLATE "C" UNIQUE,
  state                text        NOT NULL DEFAULT 'active',
  paused               text        NOT NULL DEFAULT '',
  version              bigint      NOT NULL DEFAULT 1
);

-- The number that stands for a moment at the head of an item's id: seconds since 1400000000 times 2^128 / 62^17,
-- rounded up, so that the time part of the id, read as a KSUID, is that of the moment.
CREATE OR REPLACE FUNCTION holdfast.queue_prefix_v1(at timestamptz) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  micros bigint := greatest(0, round(extract(epoch FROM at) * 1000000)::bigint - 1400000000000000);
BEGIN
  RETURN div(micros * 340282366920938463463374607431768211456 + 2955688905823059073916326510591999999,
             2955688905823059073916326510592000000);
END
$$;

-- The ten base62 digits of such a number; their byte order is that of the numbers.
CREATE OR REPLACE FUNCTION holdfast.queue_digits_v1(number bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits text := '';
  rest bigint := number;
BEGIN
  FOR place IN 1..10 LOOP
    digits := substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (rest % 62)::integer + 1, 1) || digits;
    rest := rest / 62;
  END LOOP;
  RETURN digits;
END
$$;

-- The number whose ten digits an id starts with.
CREATE OR REPLACE FUNCTION holdfast.queue_number_v1(id text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  number bigint := 0;
BEGIN
  FOR place IN 1..10 LOOP
    number := number * 62
      + strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', substr(id, place, 1)) - 1;
  END LOOP;
  RETURN number;
END
$$;
