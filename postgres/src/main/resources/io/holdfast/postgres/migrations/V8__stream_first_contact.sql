-- Streams: a first pop makes its group known also where nothing can be delivered yet, because deliveries are paused or
-- the partition does not exist: a group that starts with what is new would miss what comes meanwhile. Messages that
-- are settled by being delivered count as acknowledged. And a push to thousands of partitions finds each by one look.

-- Claims up to p_partitions partitions of a queue, or of the queue with these labels that has waited longest. One
-- row per message, partition by partition, and a last row without an offset: when nothing came, how long until
-- something may be ready (next_us) and whether cursors are missing (seeding); else the ready_at that was reached,
-- and of which queue and group (queue).
-- p_floor: ready_at from which to look first; what lies below it is looked at when that brings nothing. It says
-- nothing about another queue or group than p_floor_of: its cursors may have been ready for longer.
CREATE FUNCTION holdfast.stream_pop_v2(
  p_now timestamptz, p_queue text, p_partition text, p_namespace text, p_task text,
  p_group text, p_mode text, p_from timestamptz, p_batch integer, p_partitions integer, p_lease_us bigint,
  p_auto boolean, p_floor timestamptz, p_floor_of text)
RETURNS TABLE (queue_id integer, queue_tag integer, queue text, partition_id bigint, partition text,
  lease_id uuid, fence bigint, expires_at timestamptz, off bigint, id uuid, transaction_id text, trace_id uuid,
  payload bytea, encrypted boolean, producer text, created_at timestamptz, attempt integer,
  next_us bigint, seeding boolean, reached timestamptz)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_most CONSTANT bigint := 16777216;
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_window CONSTANT integer := greatest(32, 4 * p_partitions);
  v_met integer[];
  v_paused boolean[];
  v_all_paused boolean;
  v_silent boolean;
  v_ids integer[] := '{}';
  v_id integer;
  v_q holdfast.stream_queue;
  v_s record;
  v_p record;
  v_c holdfast.stream_cursor;
  v_only bigint;
  v_subs bigint[] := '{}';
  v_seeding boolean := false;
  v_next timestamptz;
  v_reached timestamptz;
  v_reached_of text;
  v_claimed integer := 0;
  v_left integer := p_batch;
  v_bytes bigint := 0;
  v_lease uuid;
  v_floor timestamptz;
  v_from timestamptz;
  v_tried bigint[];
  v_candidates bigint[];
  v_count bigint;
  v_distinct bigint;
  v_last timestamptz;
  v_edge timestamptz;
  v_candidate bigint;
  v_readies timestamptz[];
  v_passed bigint[];
  v_place integer;
  v_found record;
  v_old_committed bigint;
  v_deleted integer;
  v_head record;
  v_rest record;
  v_due timestamptz;
  v_until bigint;
  v_take integer;
  v_end bigint;
  v_n integer;
  v_size bigint;
  v_before integer;
  v_c_sum bigint;
  v_w_sum bigint;
  v_i integer;
BEGIN
  IF p_queue IS NOT NULL THEN
    SELECT array_agg(q.id), array_agg(q.pop_paused) INTO v_met, v_paused FROM holdfast.stream_queue AS q
     WHERE q.name = p_queue AND q.deleted_at IS NULL;
  ELSE
    SELECT array_agg(q.id ORDER BY q.name), array_agg(q.pop_paused ORDER BY q.name) INTO v_met, v_paused
      FROM holdfast.stream_queue AS q
     WHERE (p_namespace IS NULL OR q.namespace = p_namespace) AND (p_task IS NULL OR q.task = p_task)
       AND q.deleted_at IS NULL;
  END IF;
  SELECT g.pop_paused INTO v_all_paused FROM holdfast.stream_global AS g WHERE g.one;

  -- A group is known from its first pop on, also where nothing can be delivered yet.
  FOR v_i IN 1 .. coalesce(cardinality(v_met), 0) LOOP
    v_silent := v_all_paused OR v_paused[v_i];
    IF p_partition IS NOT NULL THEN
      SELECT p.id INTO v_only FROM holdfast.stream_partition AS p
       WHERE p.queue_id = v_met[v_i] AND p.name = p_partition;
      v_silent := v_silent OR NOT FOUND;
    END IF;
    SELECT s.id, s.seeded, s.last_seen_at INTO v_s FROM holdfast.stream_subscription AS s
     WHERE s.queue_id = v_met[v_i] AND s.name = p_group;
    IF NOT FOUND THEN
      v_s := NULL;
      SELECT r.id, false AS seeded, v_now AS last_seen_at INTO v_s
        FROM holdfast.stream_register_v1(p_now, v_met[v_i], p_group, p_mode, p_from) AS r(id);
      CONTINUE WHEN v_s.id IS NULL;
      v_now := coalesce(p_now, clock_timestamp());
    END IF;
    IF NOT v_silent THEN
      v_ids := v_ids || v_met[v_i];
      v_subs := v_subs || v_s.id;
    END IF;
    IF NOT v_s.seeded THEN
      IF v_only IS NOT NULL AND NOT EXISTS (
           SELECT FROM holdfast.stream_cursor AS c
            WHERE c.queue_id = v_met[v_i] AND c.partition_id = v_only AND c.sub_id = v_s.id) THEN
        PERFORM holdfast.stream_seed_v1(p_now, v_met[v_i], v_s.id, v_only);
      END IF;
      PERFORM holdfast.stream_seed_v1(p_now, v_met[v_i], v_s.id, NULL);
      v_now := coalesce(p_now, clock_timestamp());
      v_seeding := v_seeding OR NOT v_silent AND NOT (
        SELECT s.seeded FROM holdfast.stream_subscription AS s WHERE s.queue_id = v_met[v_i] AND s.id = v_s.id);
    END IF;
    IF v_s.last_seen_at <= v_now - interval '1 second' THEN
      PERFORM holdfast.stream_touch_v1(v_now, v_met[v_i], v_s.id);
    END IF;
  END LOOP;
  IF cardinality(v_ids) > 1 THEN
    SELECT array_agg(o.id ORDER BY o.ready_at, o.ord), array_agg(o.sub ORDER BY o.ready_at, o.ord)
      INTO v_ids, v_subs
      FROM (SELECT q.id, q.sub, q.ord,
                   (SELECT min(c.ready_at) FROM holdfast.stream_cursor AS c
                     WHERE c.queue_id = q.id AND c.sub_id = q.sub AND c.ready_at <= v_now) AS ready_at
              FROM unnest(v_ids, v_subs) WITH ORDINALITY AS q(id, sub, ord)) AS o;
  END IF;

  FOR v_i IN 1 .. coalesce(cardinality(v_ids), 0) LOOP
    SELECT q.* INTO v_q FROM holdfast.stream_queue AS q WHERE q.id = v_ids[v_i];
    v_id := v_ids[v_i];
    v_c_sum := 0;
    v_w_sum := 0;
    v_floor := CASE WHEN v_only IS NULL AND p_floor_of = v_id || '/' || v_subs[v_i] THEN p_floor END;
    LOOP
      v_from := coalesce(v_floor, '-infinity');
      v_tried := NULL;
      <<windows>>
      LOOP
        IF v_only IS NOT NULL THEN
          v_candidates := ARRAY[v_only];
          v_readies := ARRAY[NULL::timestamptz];
          v_count := 1;
        ELSE
          SELECT array_agg(w.partition_id ORDER BY w.ready_at, w.partition_id),
                 array_agg(w.ready_at ORDER BY w.ready_at, w.partition_id),
                 array_agg(w.committed ORDER BY w.ready_at, w.partition_id), count(*),
                 count(DISTINCT w.ready_at), max(w.ready_at)
            INTO v_candidates, v_readies, v_passed, v_count, v_distinct, v_edge
            FROM (SELECT c.partition_id, c.ready_at, c.committed FROM holdfast.stream_cursor AS c
                   WHERE c.queue_id = v_id AND c.sub_id = v_subs[v_i]
                     AND c.ready_at >= v_from AND c.ready_at <= v_now
                     AND (v_tried IS NULL OR c.partition_id <> ALL (v_tried))
                   ORDER BY c.ready_at LIMIT v_window) AS w;
          EXIT windows WHEN v_count = 0;
          IF v_distinct < v_count THEN
            SELECT array_agg(w.id ORDER BY w.ready_at, p.last_offset - w.committed DESC, w.id),
                   array_agg(w.ready_at ORDER BY w.ready_at, p.last_offset - w.committed DESC, w.id)
              INTO v_candidates, v_readies
              FROM unnest(v_candidates, v_readies, v_passed) AS w(id, ready_at, committed)
              JOIN holdfast.stream_partition AS p ON p.queue_id = v_id AND p.id = w.id;
          END IF;
        END IF;

        FOR v_place IN 1 .. coalesce(cardinality(v_candidates), 0) LOOP
          EXIT windows WHEN v_claimed = p_partitions OR v_left = 0 OR v_bytes >= v_most;
          v_candidate := v_candidates[v_place];
          PERFORM holdfast.pause_point('pop:candidate');
          -- By its instant, and from here on by its place in the table: its key leads to every dead version of the
          -- row as well, which a long transaction elsewhere keeps. One whose instant changed is somebody else's now.
          IF v_only IS NULL THEN
            SELECT c AS cursor, c.ctid AS tid INTO v_found FROM holdfast.stream_cursor AS c
             WHERE c.queue_id = v_id AND c.sub_id = v_subs[v_i] AND c.ready_at = v_readies[v_place]
               AND c.partition_id + 0 = v_candidate
               FOR NO KEY UPDATE SKIP LOCKED;
          ELSE
            SELECT c AS cursor, c.ctid AS tid INTO v_found FROM holdfast.stream_cursor AS c
             WHERE c.queue_id = v_id AND c.partition_id = v_only AND c.sub_id = v_subs[v_i]
               AND c.ready_at <= v_now
               FOR NO KEY UPDATE SKIP LOCKED;
          END IF;
          CONTINUE WHEN NOT FOUND;
          v_c := v_found.cursor;
          v_last := v_c.ready_at;
          SELECT p.name, p.log_start, p.last_at INTO v_p FROM holdfast.stream_partition AS p
           WHERE p.queue_id = v_id AND p.id = v_candidate;
          CONTINUE WHEN NOT FOUND;
          v_old_committed := v_c.committed;
          v_before := v_c.batch_end;
          v_c.committed := greatest(v_c.committed, v_p.log_start - 1);

          IF v_q.max_wait_time_seconds > 0 THEN
            v_due := v_now - v_q.max_wait_time_seconds * interval '1 second';
            SELECT m.created_at INTO v_head FROM holdfast.stream_message AS m
             WHERE m.queue_id = v_id AND m.partition_id = v_candidate AND m.off > v_c.committed
             ORDER BY m.off LIMIT 1;
            IF FOUND AND v_head.created_at <= v_due THEN
              v_end := holdfast.stream_offset_at_v1(v_id, v_candidate, v_due);
              IF v_q.max_wait_action = 'deadLetter' THEN
                PERFORM holdfast.stream_bury_v1(v_now, v_id, v_candidate, v_c.sub_id, m.off, 'max_wait', NULL,
                          CASE WHEN m.first THEN v_c.retry_count ELSE 0 END,
                          CASE WHEN m.off <= v_c.batch_end THEN v_c.attempt ELSE 0 END)
                   FROM (SELECT m.off, row_number() OVER (ORDER BY m.off) = 1 AS first
                        FROM holdfast.stream_message AS m
                       WHERE m.queue_id = v_id AND m.partition_id = v_candidate
                         AND m.off > v_c.committed AND m.off <= v_end
                         AND (m.only_sub IS NULL OR m.only_sub = v_c.sub_id)
                         AND (v_c.marks = 0 OR NOT EXISTS (
                               SELECT FROM holdfast.stream_mark AS k
                                WHERE k.queue_id = v_id AND k.partition_id = v_candidate
                                  AND k.sub_id = v_c.sub_id AND k.off = m.off AND k.kind = 'd'))) AS m;
              ELSE
                SELECT count(*) INTO v_n
                  FROM (SELECT m.off, row_number() OVER (ORDER BY m.off) = 1 AS first
                        FROM holdfast.stream_message AS m
                       WHERE m.queue_id = v_id AND m.partition_id = v_candidate
                         AND m.off > v_c.committed AND m.off <= v_end
                         AND (m.only_sub IS NULL OR m.only_sub = v_c.sub_id)
                         AND (v_c.marks = 0 OR NOT EXISTS (
                               SELECT FROM holdfast.stream_mark AS k
                                WHERE k.queue_id = v_id AND k.partition_id = v_candidate
                                  AND k.sub_id = v_c.sub_id AND k.off = m.off AND k.kind = 'd'))) AS m;
                v_w_sum := v_w_sum + v_n;
              END IF;
              v_c.committed := v_end;
              v_c.attempt := 0;
              v_c.expiries := 0;
              v_c.retry_count := 0;
            END IF;
          END IF;
          IF v_c.leased_at IS NOT NULL THEN
            v_c.expiries := v_c.expiries + 1;
            v_c.last_error := 'Partition lease expired';
            v_c.last_failed_at := v_now;
          END IF;
          IF v_c.marks > 0 THEN
            DELETE FROM holdfast.stream_mark AS k
             WHERE k.queue_id = v_id AND k.partition_id = v_candidate AND k.sub_id = v_c.sub_id
               AND (k.off <= v_c.committed OR v_c.leased_at IS NOT NULL AND k.kind <> 'd');
            GET DIAGNOSTICS v_deleted = ROW_COUNT;
            v_c.marks := v_c.marks - v_deleted;
          END IF;

          -- The head, and whether it may go out.
          LOOP
            v_due := NULL;
            v_head := holdfast.stream_head_v1(v_id, v_candidate, v_c.sub_id, v_c.committed, v_c.marks);
            IF v_head.off IS NULL THEN
              v_rest := holdfast.stream_rest_v1(v_now, v_id, v_candidate, v_c.sub_id, v_c.committed, v_c.marks,
                                                v_now, true);
              CONTINUE WHEN v_rest.ready_at <= v_now;
              v_c.committed := v_rest.committed;
              v_due := v_rest.ready_at;
              EXIT;
            END IF;
            v_due := holdfast.stream_due_v1(v_c.ready_at, v_head.created_at, v_p.last_at,
                                            v_q.delayed_processing, v_q.window_buffer);
            EXIT WHEN v_due > v_now;
            EXIT WHEN v_c.attempt < v_q.delivery_limit;
            IF v_q.on_exhausted = 'park' THEN
              v_c.park_reason := 'delivery limit reached';
              v_c.fence := v_c.fence + 1;
              v_c.lease_id := NULL;
              v_due := 'infinity';
              EXIT;
            END IF;
            PERFORM holdfast.stream_bury_v1(v_now, v_id, v_candidate, v_c.sub_id, v_head.off, 'delivery_limit',
                                            v_c.last_error, v_c.retry_count, v_c.attempt);
            v_c.committed := v_head.off;
            v_c.attempt := 0;
            v_c.expiries := 0;
            v_c.retry_count := 0;
          END LOOP;

          IF v_head.off IS NULL OR v_due > v_now THEN
            IF v_c.marks > 0 AND v_head.off IS NULL THEN
              DELETE FROM holdfast.stream_mark AS k
               WHERE k.queue_id = v_id AND k.partition_id = v_candidate AND k.sub_id = v_c.sub_id
                 AND k.off <= v_c.committed;
              GET DIAGNOSTICS v_deleted = ROW_COUNT;
              v_c.marks := v_c.marks - v_deleted;
            END IF;
            UPDATE holdfast.stream_cursor AS c
               SET committed = v_c.committed, ready_at = v_due, leased_at = NULL, batch_count = 0,
                   lease_id = v_c.lease_id, fence = v_c.fence, attempt = v_c.attempt, expiries = v_c.expiries,
                   retry_count = v_c.retry_count, marks = v_c.marks, last_error = v_c.last_error,
                   last_failed_at = v_c.last_failed_at, park_reason = v_c.park_reason
             WHERE c.ctid = v_found.tid;
            v_c_sum := v_c_sum + v_c.committed - v_old_committed;
            CONTINUE;
          END IF;

          v_take := CASE WHEN v_c.expiries >= 3 THEN 1 ELSE v_left END;
          v_until := CASE WHEN v_q.delayed_processing = 0 THEN 9223372036854775807
                          ELSE holdfast.stream_offset_at_v1(v_id, v_candidate,
                                 v_now - v_q.delayed_processing * interval '1 second') END;
          SELECT max(r.off), count(*), sum(r.size) INTO v_end, v_n, v_size
            FROM (SELECT m.off, m.size, sum(m.size) OVER (ORDER BY m.off) AS running,
                         row_number() OVER (ORDER BY m.off) AS place
                    FROM (SELECT m.off, octet_length(m.payload) AS size FROM holdfast.stream_message AS m
                           WHERE m.queue_id = v_id AND m.partition_id = v_candidate
                             AND m.off > v_c.committed AND m.off <= v_until
                             AND (m.only_sub IS NULL OR m.only_sub = v_c.sub_id)
                             AND (v_c.marks = 0 OR NOT EXISTS (
                                   SELECT FROM holdfast.stream_mark AS k
                                    WHERE k.queue_id = v_id AND k.partition_id = v_candidate
                                      AND k.sub_id = v_c.sub_id AND k.off = m.off AND k.kind = 'd'))
                           ORDER BY m.off LIMIT v_take) AS m) AS r
           WHERE r.running + v_bytes <= v_most OR v_claimed = 0 AND r.place = 1;
          IF v_n = 0 THEN
            -- No room left in this answer: it stays as it was, but for what was found out above.
            UPDATE holdfast.stream_cursor AS c
               SET committed = v_c.committed, marks = v_c.marks, retry_count = v_c.retry_count
             WHERE c.ctid = v_found.tid
               AND (c.committed <> v_c.committed OR c.marks <> v_c.marks);
            v_c_sum := v_c_sum + v_c.committed - v_old_committed;
            EXIT windows;
          END IF;

          v_lease := coalesce(v_lease, holdfast.stream_random_id_v1(v_id));
          v_c.attempt := v_c.attempt + 1;
          v_c.fence := v_c.fence + 1;
          v_due := v_now + coalesce(p_lease_us, v_q.lease_time * 1000000) * interval '1 microsecond';
          RETURN QUERY
            SELECT v_id, v_q.tag, v_q.name::text, v_candidate, v_p.name::text,
                   CASE WHEN NOT p_auto THEN v_lease END, CASE WHEN NOT p_auto THEN v_c.fence END,
                   CASE WHEN NOT p_auto THEN v_due END,
                   m.off, m.id, coalesce(m.transaction_id, m.id::text)::text, m.trace_id, m.payload, m.encrypted,
                   m.producer_sub, m.created_at, CASE WHEN m.off <= v_before THEN v_c.attempt ELSE 1 END,
                   NULL::bigint, NULL::boolean, NULL::timestamptz
              FROM holdfast.stream_message AS m
             WHERE m.queue_id = v_id AND m.partition_id = v_candidate
               AND m.off > v_c.committed AND m.off <= v_end
               AND (m.only_sub IS NULL OR m.only_sub = v_c.sub_id)
               AND (v_c.marks = 0 OR NOT EXISTS (
                     SELECT FROM holdfast.stream_mark AS k
                      WHERE k.queue_id = v_id AND k.partition_id = v_candidate
                        AND k.sub_id = v_c.sub_id AND k.off = m.off AND k.kind = 'd'))
             ORDER BY m.off;
          IF p_auto THEN
            IF v_c.marks > 0 THEN
              DELETE FROM holdfast.stream_mark AS k
               WHERE k.queue_id = v_id AND k.partition_id = v_candidate AND k.sub_id = v_c.sub_id
                 AND k.off <= v_end;
              GET DIAGNOSTICS v_deleted = ROW_COUNT;
              v_c.marks := v_c.marks - v_deleted;
            END IF;
            v_rest := holdfast.stream_rest_v1(v_now, v_id, v_candidate, v_c.sub_id, v_end, v_c.marks, v_now, true);
            IF v_c.marks > 0 AND v_rest.committed > v_end THEN
              DELETE FROM holdfast.stream_mark AS k
               WHERE k.queue_id = v_id AND k.partition_id = v_candidate AND k.sub_id = v_c.sub_id;
              v_c.marks := 0;
            END IF;
            UPDATE holdfast.stream_cursor AS c
               SET committed = v_rest.committed, batch_end = v_rest.committed, batch_count = 0, lease_id = NULL,
                   leased_at = NULL, fence = v_c.fence, ready_at = v_rest.ready_at, attempt = 0, expiries = 0,
                   retry_count = 0, marks = v_c.marks, last_error = NULL, last_failed_at = NULL,
                   last_ack_at = v_now
             WHERE c.ctid = v_found.tid;
            v_c.committed := v_rest.committed;
          ELSE
            UPDATE holdfast.stream_cursor AS c
               SET committed = v_c.committed, batch_end = v_end, batch_count = v_n, lease_id = v_lease,
                   leased_at = v_now, fence = v_c.fence, ready_at = v_due, attempt = v_c.attempt,
                   expiries = v_c.expiries, retry_count = v_c.retry_count, marks = v_c.marks,
                   last_error = v_c.last_error, last_failed_at = v_c.last_failed_at
             WHERE c.ctid = v_found.tid;
          END IF;
          v_c_sum := v_c_sum + v_c.committed - v_old_committed;
          v_claimed := v_claimed + 1;
          v_left := v_left - v_n;
          v_bytes := v_bytes + v_size;
          IF v_only IS NULL THEN
            v_reached := greatest(v_reached, v_last);
            v_reached_of := v_id || '/' || v_subs[v_i];
          END IF;
        END LOOP;
        EXIT WHEN v_count < v_window;
        v_tried := v_tried || v_candidates;
        v_from := v_edge;
      END LOOP;
      EXIT WHEN v_claimed > 0 OR v_floor IS NULL;
      v_floor := NULL;
    END LOOP;
    PERFORM holdfast.pause_point('pop:claimed');
    PERFORM holdfast.stream_count_v1(v_id, 'C', v_subs[v_i], v_c_sum, true);
    PERFORM holdfast.stream_count_v1(v_id, 'W', v_subs[v_i], v_w_sum, true);
    EXIT WHEN v_claimed > 0;
    v_next := least(v_next, (
      SELECT c.ready_at FROM holdfast.stream_cursor AS c
       WHERE c.queue_id = v_id AND c.sub_id = v_subs[v_i] AND v_only IS NULL
         AND c.ready_at > v_now AND c.ready_at < 'infinity'
       ORDER BY c.ready_at LIMIT 1));
    IF v_only IS NOT NULL THEN
      SELECT CASE WHEN c.ready_at > v_now AND c.ready_at < 'infinity' THEN c.ready_at END INTO v_next
        FROM holdfast.stream_cursor AS c
       WHERE c.queue_id = v_id AND c.partition_id = v_only AND c.sub_id = v_subs[v_i];
    END IF;
  END LOOP;
  RETURN QUERY SELECT NULL::integer, NULL::integer, v_reached_of, NULL::bigint, NULL::text, NULL::uuid, NULL::bigint,
    NULL::timestamptz, NULL::bigint, NULL::uuid, NULL::text, NULL::uuid, NULL::bytea, NULL::boolean, NULL::text,
    NULL::timestamptz, NULL::integer, holdfast.stream_micros_v1(v_next) - holdfast.stream_micros_v1(v_now),
    v_seeding AND v_claimed = 0, v_reached;
END
$$;

-- As before, but for how partitions are found.
CREATE OR REPLACE FUNCTION holdfast.stream_open_v1(
  p_now timestamptz, p_own boolean,
  p_queues text[], p_namespaces text[], p_tasks text[], p_sealed boolean[], p_plain boolean[], p_uids uuid[],
  p_id_queues integer[], p_id_froms bigint[], p_id_counts integer[],
  p_lane_queue integer[], p_lane_name text[],
  OUT status text, OUT about text, OUT needs bigint[],
  OUT queue_ids integer[], OUT tags integer[], OUT limits bigint[], OUT windows bigint[],
  OUT lane_queues integer[], OUT lane_ids bigint[], OUT lane_lasts bigint[], OUT lane_ats timestamptz[],
  OUT lane_holds bigint[], OUT lane_tids tid[], OUT now timestamptz)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_variable
DECLARE
  v_found integer;
  v_paused integer;
  v_wrong integer;
  v_made integer[] := '{}';
  v_new integer[];
  v_holds bigint[];
  v_missing record;
  v_is_making boolean := false;
  v_first bigint;
BEGIN
  IF NOT p_own AND current_setting('transaction_isolation') NOT LIKE 'read%' THEN
    status := 'isolation';
    RETURN;
  END IF;
  LOOP
    SELECT count(q.id), array_agg(q.id ORDER BY n.ord), array_agg(q.tag ORDER BY n.ord),
           array_agg(q.max_queue_size ORDER BY n.ord),
           array_agg(coalesce(q.dedup_window_seconds, -1) ORDER BY n.ord),
           array_agg(greatest(q.delayed_processing, q.window_buffer) ORDER BY n.ord),
           min(n.ord) FILTER (WHERE q.push_pause IS NOT NULL OR g.push_pause IS NOT NULL),
           min(n.ord) FILTER (WHERE CASE WHEN q.encryption_enabled THEN n.plain OR n.uid <> q.uid
                                            ELSE n.sealed END)
      INTO v_found, queue_ids, tags, limits, windows, v_holds, v_paused, v_wrong
      FROM unnest(p_queues, p_sealed, p_plain, p_uids) WITH ORDINALITY AS n(name, sealed, plain, uid, ord)
     CROSS JOIN LATERAL (
            SELECT g.push_pause FROM holdfast.stream_global AS g WHERE g.one OFFSET 0) AS g
      LEFT JOIN LATERAL (
            SELECT q.id, q.tag, q.max_queue_size, q.dedup_window_seconds, q.delayed_processing, q.window_buffer,
                   q.push_pause, q.encryption_enabled, q.uid
              FROM holdfast.stream_queue AS q WHERE q.name = n.name AND q.deleted_at IS NULL OFFSET 0) AS q ON true;
    IF v_paused IS NOT NULL THEN
      status := 'paused';
      about := p_queues[v_paused];
      RETURN;
    ELSIF queue_ids[v_wrong] IS NOT NULL THEN
      status := 'form';
      about := p_queues[v_wrong];
      RETURN;
    END IF;
    EXIT WHEN p_own AND v_found = cardinality(p_queues) AND cardinality(p_id_queues) = 0
          AND cardinality(v_made) = 0;

    -- Something may have to be made; if the form is wrong, no more than the queue that says so.
    FOR v_missing IN
      SELECT l.queue, count(*) AS n FROM unnest(p_lane_queue, p_lane_name) AS l(queue, name)
       WHERE queue_ids[l.queue] IS NOT NULL
         AND v_wrong IS NULL
         AND NOT EXISTS (SELECT FROM holdfast.stream_partition AS p
                          WHERE p.queue_id = queue_ids[l.queue] AND p.name = l.name)
       GROUP BY l.queue
    LOOP
      v_is_making := true;
      IF queue_ids[v_missing.queue] <> ALL (v_made) AND NOT EXISTS (
           SELECT FROM unnest(p_id_queues, p_id_froms, p_id_counts) AS i(queue, first, n)
            WHERE i.queue = queue_ids[v_missing.queue] AND (i.first = 0 OR i.n >= v_missing.n)) THEN
        status := 'ids';
      END IF;
    END LOOP;
    EXIT WHEN status = 'ids' OR v_found = cardinality(p_queues);

    now := coalesce(p_now, clock_timestamp());
    WITH made AS (
      INSERT INTO holdfast.stream_queue (tag, name, namespace, task, created_at)
      SELECT floor(random() * 67108864)::integer, n.name, n.namespace, n.task, now
        FROM unnest(p_queues, p_namespaces, p_tasks) WITH ORDINALITY AS n(name, namespace, task, ord)
       WHERE queue_ids[n.ord] IS NULL AND n.ord = coalesce(v_wrong, n.ord)
       ORDER BY n.name COLLATE "C"
      ON CONFLICT DO NOTHING
      RETURNING id)
    SELECT coalesce(array_agg(id), '{}') INTO v_new FROM made;
    v_made := v_made || v_new;
  END LOOP;

  IF status IS NULL AND v_is_making THEN
    -- From here to our commit no group registers; the next statement sees all that did.
    PERFORM FROM holdfast.stream_queue AS q WHERE q.id = ANY (queue_ids) ORDER BY q.id FOR KEY SHARE;
    PERFORM holdfast.pause_point('push:shared');
    now := coalesce(p_now, clock_timestamp());
    FOR v_missing IN
      SELECT queue_ids[l.queue] AS queue_id, array_agg(l.name ORDER BY l.name COLLATE "C") AS names, count(*) AS n
        FROM unnest(p_lane_queue, p_lane_name) AS l(queue, name)
       WHERE NOT EXISTS (SELECT FROM holdfast.stream_partition AS p
                          WHERE p.queue_id = queue_ids[l.queue] AND p.name = l.name)
       GROUP BY 1 ORDER BY 1
    LOOP
      SELECT min(i.first) INTO v_first FROM unnest(p_id_queues, p_id_froms, p_id_counts) AS i(queue, first, n)
       WHERE i.queue = v_missing.queue_id AND (i.first = 0 OR i.n >= v_missing.n);
      CONTINUE WHEN v_first IS NULL AND v_missing.queue_id <> ALL (v_made);
      IF coalesce(v_first, 0) = 0 THEN
        UPDATE holdfast.stream_queue AS q SET next_id = q.next_id + v_missing.n
         WHERE q.id = v_missing.queue_id RETURNING q.next_id - v_missing.n INTO v_first;
      END IF;
      WITH made AS (
        INSERT INTO holdfast.stream_partition (queue_id, id, name, created_at)
        SELECT v_missing.queue_id, v_first + l.ord - 1, l.name, now
          FROM unnest(v_missing.names) WITH ORDINALITY AS l(name, ord)
        ON CONFLICT DO NOTHING
        RETURNING id)
      INSERT INTO holdfast.stream_cursor (queue_id, partition_id, sub_id, committed, fence)
      SELECT v_missing.queue_id, made.id, s.id, 0, holdfast.stream_micros_v1(now)
        FROM made, holdfast.stream_subscription AS s
       WHERE s.queue_id = v_missing.queue_id AND s.name IS NOT NULL
      ON CONFLICT DO NOTHING;
    END LOOP;
  END IF;

  IF status IS NULL THEN
    -- Lane by lane, by index: a join would be planned as a scan of all partitions while they are believed few. By
    -- number and name, because then each of the two indexes leads to one row; with the number alone, that of the
    -- names is believed to be as good, and leads to all partitions of the queue.
    SELECT array_agg(x.queue_id), array_agg(x.id), array_agg(x.last_offset), array_agg(x.last_at),
           array_agg(v_holds[x.queue]), array_agg(x.tid)
      INTO lane_queues, lane_ids, lane_lasts, lane_ats, lane_holds, lane_tids
      FROM (SELECT l.ord, l.queue, l.queue_id, l.id, p.tid, p.last_offset,
                   coalesce(p.last_at, '-infinity') AS last_at
              FROM (SELECT l.ord, l.queue, l.name, queue_ids[l.queue] AS queue_id,
                           (SELECT p.id FROM holdfast.stream_partition AS p
                             WHERE p.queue_id = queue_ids[l.queue] AND p.name = l.name) AS id
                      FROM unnest(p_lane_queue, p_lane_name) WITH ORDINALITY AS l(queue, name, ord)
                     ORDER BY 4, 5) AS l
             CROSS JOIN LATERAL (
                    SELECT p.ctid AS tid, p.last_offset, p.last_at FROM holdfast.stream_partition AS p
                     WHERE p.queue_id = l.queue_id AND p.id = l.id AND p.name = l.name
                       FOR NO KEY UPDATE) AS p
             ORDER BY l.ord) AS x;
    PERFORM holdfast.pause_point('push:locked');
  END IF;
  IF status = 'ids' OR coalesce(cardinality(lane_ids), 0) < cardinality(p_lane_queue) THEN
    status := 'ids';
    SELECT array_agg(x.queue_id), array_agg(x.n) INTO queue_ids, needs
      FROM (SELECT queue_ids[l.queue] AS queue_id, count(*) AS n
              FROM unnest(p_lane_queue, p_lane_name) AS l(queue, name)
             WHERE queue_ids[l.queue] IS NOT NULL
               AND NOT EXISTS (SELECT FROM holdfast.stream_partition AS p
                                WHERE p.queue_id = queue_ids[l.queue] AND p.name = l.name)
             GROUP BY 1) AS x;
    RETURN;
  END IF;
  now := coalesce(p_now, clock_timestamp());
  SELECT array_agg(greatest(now, l.last_at + interval '1 microsecond') ORDER BY l.ord) INTO lane_ats
    FROM unnest(lane_ats) WITH ORDINALITY AS l(last_at, ord);
  status := 'ok';
END
$$;
