-- What Queen's tables are called, for those who read them: views, read-only, of the streams in the schema
-- holdfast. Ids are those of the wire. May run again.

CREATE SCHEMA IF NOT EXISTS queen;

-- The payload if it is JSON; null if it is not.
CREATE OR REPLACE FUNCTION queen.payload_json(payload bytea) RETURNS json
LANGUAGE plpgsql IMMUTABLE PARALLEL UNSAFE AS $$
BEGIN
  RETURN convert_from(payload, 'UTF8')::json;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END
$$;

CREATE OR REPLACE VIEW queen.queues AS
SELECT q.uid AS id, q.name, q.namespace, q.task,
       coalesce((q.extra ->> 'priority')::bigint, 0) AS priority,
       q.lease_time, q.retry_limit, q.retry_delay_ms AS retry_delay, q.max_queue_size AS max_size,
       coalesce((q.extra ->> 'ttl')::bigint, 3600) AS ttl,
       coalesce((q.extra ->> 'deadLetterQueue')::boolean, false) AS dead_letter_queue,
       coalesce((q.extra ->> 'dlqAfterMaxRetries')::boolean, false) AS dlq_after_max_retries,
       q.delayed_processing, q.window_buffer, q.retention_seconds, q.completed_retention_seconds,
       q.retention_enabled, q.encryption_enabled, q.max_wait_time_seconds, q.max_queue_size, q.created_at
  FROM holdfast.stream_queue AS q
 WHERE q.deleted_at IS NULL;

CREATE OR REPLACE VIEW queen.partitions AS
SELECT holdfast.stream_partition_id_v1(q.id, q.tag, p.id) AS id, q.uid AS queue_id, p.name, p.created_at
  FROM holdfast.stream_queue AS q
  JOIN holdfast.stream_partition AS p ON p.queue_id = q.id
 WHERE q.deleted_at IS NULL;

CREATE OR REPLACE VIEW queen.messages AS
SELECT m.id, coalesce(m.transaction_id, m.id::text) AS transaction_id, m.trace_id,
       holdfast.stream_partition_id_v1(q.id, q.tag, m.partition_id) AS partition_id,
       CASE WHEN NOT m.encrypted THEN queen.payload_json(m.payload) END AS payload,
       m.encrypted AS is_encrypted, m.producer_sub, m.created_at
  FROM holdfast.stream_queue AS q
  JOIN holdfast.stream_message AS m ON m.queue_id = q.id
 WHERE q.deleted_at IS NULL;

CREATE OR REPLACE VIEW queen.partition_leases AS
SELECT c.lease_id AS id, holdfast.stream_partition_id_v1(q.id, q.tag, c.partition_id) AS partition_id,
       s.name AS consumer_group, c.ready_at AS lease_expires_at,
       (SELECT coalesce(jsonb_agg(m.id ORDER BY m.off), '[]') FROM holdfast.stream_message AS m
         WHERE m.queue_id = c.queue_id AND m.partition_id = c.partition_id
           AND m.off > c.committed AND m.off <= c.batch_end
           AND (m.only_sub IS NULL OR m.only_sub = c.sub_id)) AS message_batch,
       c.batch_count AS message_count, c.leased_at AS created_at, NULL::timestamptz AS released_at
  FROM holdfast.stream_queue AS q
  JOIN holdfast.stream_subscription AS s ON s.queue_id = q.id AND s.name IS NOT NULL
  JOIN holdfast.stream_cursor AS c ON c.queue_id = q.id AND c.sub_id = s.id
 WHERE q.deleted_at IS NULL AND c.leased_at IS NOT NULL AND c.ready_at > clock_timestamp();

CREATE OR REPLACE VIEW queen.queue_depths AS
SELECT q.uid AS queue_id, d.queue_name, d.current_depth, d.max_queue_size, d.remaining_capacity
  FROM holdfast.stream_queue_depths AS d
  JOIN holdfast.stream_queue AS q ON q.name = d.queue_name AND q.deleted_at IS NULL;

CREATE OR REPLACE VIEW queen.retention_history AS
SELECT q.uid AS queue_id, holdfast.stream_partition_id_v1(q.id, q.tag, r.partition_id) AS partition_id,
       r.messages AS messages_deleted, r.at AS deleted_at
  FROM holdfast.stream_queue AS q
  JOIN holdfast.stream_retention_log AS r ON r.queue_id = q.id
 WHERE q.deleted_at IS NULL;
