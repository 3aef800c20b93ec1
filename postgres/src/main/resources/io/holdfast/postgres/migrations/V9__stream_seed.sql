-- Streams: a new group gets its cursors by ranges of partitions. A list of numbers was looked up through the index of
-- the names while the partitions were believed few, and then each step compared all of them with all of the list.

-- Makes cursors of a group for the next thousand partitions that have none, or for partition p_only. Those whose row
-- somebody else has locked are looked at a moment later. Answers how many cursors it made. Without sorts the primary
-- key is the one way to the partitions of a range, whatever is believed about their number.
CREATE FUNCTION holdfast.stream_seed_v2(p_now timestamptz, p_queue integer, p_sub bigint, p_only bigint)
RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_sort = off SET enable_incremental_sort = off
SET jit = off
AS $$
DECLARE
  v_step CONSTANT integer := 1000;
  v_sub record;
  v_behind bigint := p_only - 1;
  v_through bigint := p_only;
  v_found integer;
  v_locked bigint[];
  v_now timestamptz;
  v_made integer;
  v_committed bigint;
BEGIN
  IF p_only IS NULL THEN
    SELECT s.mode, s.from_at, s.seeded_through, s.seeded INTO v_sub FROM holdfast.stream_subscription AS s
     WHERE s.queue_id = p_queue AND s.id = p_sub FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND OR v_sub.seeded THEN
      RETURN 0;
    END IF;
    v_behind := v_sub.seeded_through;
    SELECT coalesce(max(x.id), v_behind), count(*) INTO v_through, v_found
      FROM (SELECT p.id FROM holdfast.stream_partition AS p
             WHERE p.queue_id = p_queue AND p.id > v_behind ORDER BY p.id LIMIT v_step) AS x;
  ELSE
    SELECT s.mode, s.from_at INTO v_sub FROM holdfast.stream_subscription AS s
     WHERE s.queue_id = p_queue AND s.id = p_sub;
  END IF;

  SELECT coalesce(array_agg(x.id), '{}') INTO v_locked
    FROM (SELECT p.id FROM holdfast.stream_partition AS p
           WHERE p.queue_id = p_queue AND p.id > v_behind AND p.id <= v_through
           ORDER BY p.id FOR NO KEY UPDATE SKIP LOCKED) AS x;
  PERFORM holdfast.pause_point('seed:locked');
  v_now := coalesce(p_now, clock_timestamp());
  WITH made AS (
    INSERT INTO holdfast.stream_cursor (queue_id, partition_id, sub_id, committed, batch_end, fence, ready_at)
    SELECT p_queue, p.id, p_sub, f.committed, f.committed, holdfast.stream_micros_v1(v_now),
           CASE WHEN p.id <> ALL (v_locked) THEN v_now + interval '100 milliseconds'
                WHEN h.off IS NOT NULL THEN
                     holdfast.stream_due_v1(least(h.created_at, v_now), h.created_at, p.last_at, q.delayed_processing,
                                           q.window_buffer)
           END
      FROM holdfast.stream_queue AS q
      JOIN holdfast.stream_partition AS p ON p.queue_id = q.id AND p.id > v_behind AND p.id <= v_through
     CROSS JOIN LATERAL (
            SELECT CASE WHEN v_sub.mode = 'a' THEN p.log_start - 1
                        WHEN p.last_at <= v_sub.from_at THEN p.last_offset
                        ELSE greatest(p.log_start - 1,
                                      holdfast.stream_offset_at_v1(p_queue, p.id, v_sub.from_at))
                   END AS committed OFFSET 0) AS f
     CROSS JOIN LATERAL holdfast.stream_head_v1(p_queue, p.id, p_sub, f.committed, 0) AS h
     WHERE q.id = p_queue
     ORDER BY p.id
    ON CONFLICT DO NOTHING
    RETURNING committed)
  SELECT count(*), coalesce(sum(made.committed), 0) INTO v_made, v_committed FROM made;

  IF p_only IS NULL THEN
    UPDATE holdfast.stream_subscription AS s SET seeded_through = v_through, seeded = v_found < v_step
     WHERE s.queue_id = p_queue AND s.id = p_sub;
  END IF;
  PERFORM holdfast.stream_count_v1(p_queue, 'C', p_sub, v_committed, true);
  RETURN v_made;
END
$$;

CREATE OR REPLACE FUNCTION holdfast.stream_seed_v1(
  p_now timestamptz, p_queue integer, p_sub bigint, p_only bigint)
RETURNS integer LANGUAGE sql AS $$
  SELECT holdfast.stream_seed_v2(p_now, p_queue, p_sub, p_only)
$$;
