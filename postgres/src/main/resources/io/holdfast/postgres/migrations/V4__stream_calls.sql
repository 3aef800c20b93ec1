-- Streams: the calls. Each is one statement of its caller and one transition of the tables. What is to be
-- expected (paused, full, lost) is an answer and no error, which would end a caller's transaction. Locks are
-- taken in one order: partitions by (queue, id), gates, cursors by (queue, partition, group), counters.
--
-- p_now is the clock of a test; null is the clock of the server, read after the locks.
-- p_own: the call is a transaction of its own, as against a part of a caller's.
--
-- Plans go by index and are made once, also while the planner still believes the tables to be empty. Where it could
-- begin a join with the table, the look-up is a LATERAL of its own.

-- The first half of the ids of messages that were stored at a moment.
CREATE FUNCTION holdfast.stream_message_prefix_v1(at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  micros bigint := holdfast.stream_micros_v1(at);
BEGIN
  RETURN lpad(to_hex(micros / 1000), 12, '0') || to_hex(28672 + (micros % 1000) * 4);
END
$$;

-- A group has been here. Nobody waits for that.
CREATE FUNCTION holdfast.stream_touch_v1(p_now timestamptz, p_queue integer, p_sub bigint) RETURNS void
LANGUAGE sql AS $$
  UPDATE holdfast.stream_subscription AS s SET last_seen_at = p_now
   WHERE s.queue_id = p_queue
     AND s.id = (SELECT t.id FROM holdfast.stream_subscription AS t
                  WHERE t.queue_id = p_queue AND t.id = p_sub
                    AND t.last_seen_at <= p_now - interval '1 second'
                    FOR NO KEY UPDATE SKIP LOCKED)
$$;

-- Messages that the slowest active group has not passed; without one, all that are retained.
CREATE FUNCTION holdfast.stream_depth_of_v1(p_now timestamptz, p_queue integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  pushed bigint;
  passed bigint;
BEGIN
  SELECT coalesce(sum(c.n), 0) INTO pushed
    FROM holdfast.stream_counter AS c WHERE c.queue_id = p_queue AND c.kind = 'P' AND c.sub_id = 0;
  SELECT min((SELECT coalesce(sum(c.n), 0) FROM holdfast.stream_counter AS c
               WHERE c.queue_id = p_queue AND c.kind = 'C' AND c.sub_id = s.id)) INTO passed
    FROM holdfast.stream_subscription AS s
    JOIN holdfast.stream_queue AS q ON q.id = s.queue_id
   WHERE s.queue_id = p_queue AND s.name IS NOT NULL
     AND (q.abandoned_group_seconds = 0
          OR s.last_seen_at > p_now - q.abandoned_group_seconds * interval '1 second');
  IF passed IS NULL THEN
    SELECT coalesce(sum(c.n), 0) INTO passed
      FROM holdfast.stream_counter AS c WHERE c.queue_id = p_queue AND c.kind = 'D' AND c.sub_id = 0;
  END IF;
  RETURN pushed - passed;
END
$$;

-- Finds, makes and locks what a push is about. Lanes are its partitions: p_lane_queue is a place in p_queues.
-- Numbers for new partitions of a queue that is there come from p_id_*, so that nobody waits for the queue's row
-- until a caller commits; from 0 says: take them here, the queue is not committed yet.
--   ok      lanes are locked
--   paused  about: which queue
--   form    about: the queue that wants its entries encrypted, or not
--   ids     nothing was done; queue_ids: who needs how many numbers (needs)
--   isolation  a caller's snapshot would hide groups that began since
CREATE FUNCTION holdfast.stream_open_v1(
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
    -- Lane by lane, by index: a join would be planned as a scan of all partitions while they are believed few.
    SELECT array_agg(x.queue_id), array_agg(x.id), array_agg(x.last_offset), array_agg(x.last_at),
           array_agg(v_holds[x.queue]), array_agg(x.tid)
      INTO lane_queues, lane_ids, lane_lasts, lane_ats, lane_holds, lane_tids
      FROM (SELECT l.ord, l.queue, l.queue_id, l.id, p.tid, p.last_offset,
                   coalesce(p.last_at, '-infinity') AS last_at
              FROM (SELECT l.ord, l.queue, queue_ids[l.queue] AS queue_id,
                           (SELECT p.id FROM holdfast.stream_partition AS p
                             WHERE p.queue_id = queue_ids[l.queue] AND p.name = l.name) AS id
                      FROM unnest(p_lane_queue, p_lane_name) WITH ORDINALITY AS l(queue, name, ord)
                     ORDER BY 3, 4) AS l
             CROSS JOIN LATERAL (
                    SELECT p.ctid AS tid, p.last_offset, p.last_at FROM holdfast.stream_partition AS p
                     WHERE p.queue_id = l.queue_id AND p.id = l.id
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

-- Appends to lanes that stream_open_v1 has locked. p_first: which entry of the call has the same transaction id in
-- the same lane first, itself if none; null when no entry has one. p_suffix: the second half of the message's id.
--   ok    ids, offs and is_known (a duplicate; null: none is) per entry, depths per queue (null: none is limited)
--   full  about, depth, room: nothing was stored
CREATE FUNCTION holdfast.stream_append_v1(
  p_own boolean, p_now timestamptz, p_queues text[], p_queue_ids integer[], p_limits bigint[], p_windows bigint[],
  p_lane_queue integer[], p_lane_queues integer[], p_lane_ids bigint[], p_lane_lasts bigint[],
  p_lane_ats timestamptz[], p_lane_holds bigint[], p_lane_tids tid[],
  p_lane integer[], p_first integer[], p_suffix text[], p_transaction text[], p_trace uuid[],
  p_payload bytea[], p_encrypted boolean[], p_producer text[],
  OUT status text, OUT about text, OUT depth bigint, OUT room bigint, OUT depths bigint[],
  OUT ids uuid[], OUT offs bigint[], OUT is_known boolean[])
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_variable
DECLARE
  v_prefix text := holdfast.stream_message_prefix_v1(p_now);
  v_seen integer[];
  v_seen_ids uuid[];
  v_seen_offs bigint[];
  v_new_ids uuid[];
  v_new_offs bigint[];
  v_new_ords integer[];
  v_new_lanes integer[];
  v_gate record;
  v_n bigint;
  i integer;
BEGIN
  IF p_first IS NOT NULL THEN
    -- By hash, whatever the planner thinks of reading the partition backwards.
    SELECT array_agg(e.ord), array_agg(m.id), array_agg(m.off) INTO v_seen, v_seen_ids, v_seen_offs
      FROM unnest(p_lane, p_first, p_transaction) WITH ORDINALITY AS e(lane, first, tx, ord)
     CROSS JOIN LATERAL (
            SELECT m.id, m.off FROM holdfast.stream_message AS m
             WHERE m.queue_id = p_lane_queues[e.lane]
               AND hashtextextended(m.transaction_id, 0) = hashtextextended(e.tx, 0)
               AND m.partition_id = p_lane_ids[e.lane] AND m.transaction_id = e.tx
               AND (p_windows[p_lane_queue[e.lane]] < 0
                    OR m.created_at > p_now - p_windows[p_lane_queue[e.lane]] * interval '1 second')
             ORDER BY m.off + 0 DESC LIMIT 1) AS m
     WHERE e.tx IS NOT NULL AND e.first = e.ord AND p_windows[p_lane_queue[e.lane]] <> 0;
    FOR i IN 1 .. coalesce(cardinality(v_seen), 0) LOOP
      IF is_known IS NULL THEN
        is_known := array_fill(false, ARRAY[cardinality(p_lane)]);
      END IF;
      is_known[v_seen[i]] := true;
    END LOOP;
    FOR i IN 1 .. cardinality(p_first) LOOP
      IF p_first[i] <> i AND p_windows[p_lane_queue[p_lane[i]]] <> 0 THEN
        IF is_known IS NULL THEN
          is_known := array_fill(false, ARRAY[cardinality(p_lane)]);
        END IF;
        is_known[i] := true;
      END IF;
    END LOOP;
  END IF;

  FOR v_gate IN
    SELECT q.ord, q.id, q.room FROM unnest(p_queue_ids, p_limits) WITH ORDINALITY AS q(id, room, ord)
     WHERE q.room > 0 ORDER BY q.id
  LOOP
    INSERT INTO holdfast.stream_counter (queue_id, kind, sub_id, stripe, n)
    VALUES (v_gate.id, 'P', 0, 0, 0) ON CONFLICT DO NOTHING;
    PERFORM FROM holdfast.stream_counter AS c
      WHERE c.queue_id = v_gate.id AND c.kind = 'P' AND c.sub_id = 0 AND c.stripe = 0 FOR NO KEY UPDATE;
    PERFORM holdfast.pause_point('push:gated');
    SELECT count(*) INTO v_n FROM unnest(p_lane) WITH ORDINALITY AS e(lane, ord)
     WHERE p_lane_queue[e.lane] = v_gate.ord AND (is_known IS NULL OR NOT is_known[e.ord]);
    depth := holdfast.stream_depth_of_v1(p_now, v_gate.id);
    IF v_n > 0 AND depth + v_n > v_gate.room THEN
      status := 'full';
      about := p_queues[v_gate.ord];
      room := v_gate.room;
      RETURN;
    END IF;
    IF depths IS NULL THEN
      depths := array_fill(NULL::bigint, ARRAY[cardinality(p_queues)]);
    END IF;
    depths[v_gate.ord] := depth + v_n;
  END LOOP;

  WITH new AS MATERIALIZED (
    SELECT e.ord, e.lane, p_lane_lasts[e.lane] + row_number() OVER (PARTITION BY e.lane ORDER BY e.ord) AS off,
           (CASE WHEN p_lane_ats[e.lane] = p_now THEN v_prefix
                 ELSE holdfast.stream_message_prefix_v1(p_lane_ats[e.lane]) END || e.suffix)::uuid AS id,
           e.tx, e.trace, e.payload, e.encrypted, e.producer
      FROM unnest(p_lane, p_suffix, p_transaction, p_trace, p_payload, p_encrypted, p_producer)
           WITH ORDINALITY AS e(lane, suffix, tx, trace, payload, encrypted, producer, ord)
     WHERE is_known IS NULL OR NOT is_known[e.ord]),
  put AS (
    INSERT INTO holdfast.stream_message
          (queue_id, partition_id, off, id, transaction_id, trace_id, payload, encrypted, producer_sub, created_at)
    SELECT p_lane_queues[n.lane], p_lane_ids[n.lane], n.off, n.id, n.tx, n.trace, n.payload, n.encrypted,
           n.producer, p_lane_ats[n.lane]
      FROM new AS n),
  moved AS (
    UPDATE holdfast.stream_partition AS p
       SET last_offset = p.last_offset + n.n, last_at = p_lane_ats[n.lane],
           oldest_at = coalesce(p.oldest_at, p_lane_ats[n.lane])
      FROM (SELECT lane, count(*) AS n FROM new GROUP BY lane) AS n
     WHERE p.ctid = p_lane_tids[n.lane])  -- locked, so it is where it was
  SELECT array_agg(n.id ORDER BY n.ord), array_agg(n.off ORDER BY n.ord), array_agg(n.ord ORDER BY n.ord),
         array_agg(n.lane ORDER BY n.ord)
    INTO v_new_ids, v_new_offs, v_new_ords, v_new_lanes
    FROM new AS n;
  PERFORM holdfast.pause_point('push:written');

  IF v_new_ords IS NOT NULL THEN
    -- Nothing was pending there: what came is the head. Whoever wrote so held the partition's lock.
    WITH idle AS MATERIALIZED (
      SELECT c.queue_id, c.partition_id, c.sub_id, l.lane
        FROM (SELECT n.lane FROM unnest(v_new_lanes) AS n(lane) GROUP BY n.lane
               ORDER BY p_lane_queues[n.lane], p_lane_ids[n.lane]) AS l
       CROSS JOIN LATERAL (
              SELECT c.queue_id, c.partition_id, c.sub_id FROM holdfast.stream_cursor AS c
               WHERE c.queue_id = p_lane_queues[l.lane] AND c.partition_id = p_lane_ids[l.lane]
                 AND c.ready_at IS NULL
               ORDER BY c.sub_id FOR NO KEY UPDATE) AS c)
    UPDATE holdfast.stream_cursor AS c
       SET ready_at = CASE WHEN p_lane_holds[i.lane] = 0 THEN p_now
                           ELSE p_lane_ats[i.lane] + p_lane_holds[i.lane] * interval '1 second' END
      FROM idle AS i
     WHERE c.queue_id = i.queue_id AND c.partition_id = i.partition_id AND c.sub_id = i.sub_id;
    PERFORM holdfast.pause_point('push:marked');
    INSERT INTO holdfast.stream_counter AS c (queue_id, kind, sub_id, stripe, n)
    SELECT p_lane_queues[n.lane], 'P', 0,
           CASE WHEN p_own THEN 0 ELSE 1 + floor(random() * 2000000000)::integer END, count(*)
      FROM unnest(v_new_lanes) AS n(lane) GROUP BY 1 ORDER BY 1
    ON CONFLICT (queue_id, kind, sub_id, stripe) DO UPDATE SET n = c.n + excluded.n;
  END IF;

  IF is_known IS NULL THEN
    ids := v_new_ids;
    offs := v_new_offs;
  ELSE
    ids := array_fill(NULL::uuid, ARRAY[cardinality(p_lane)]);
    offs := array_fill(NULL::bigint, ARRAY[cardinality(p_lane)]);
    FOR i IN 1 .. coalesce(cardinality(v_new_ords), 0) LOOP
      ids[v_new_ords[i]] := v_new_ids[i];
      offs[v_new_ords[i]] := v_new_offs[i];
    END LOOP;
    FOR i IN 1 .. coalesce(cardinality(v_seen), 0) LOOP
      ids[v_seen[i]] := v_seen_ids[i];
      offs[v_seen[i]] := v_seen_offs[i];
    END LOOP;
    FOR i IN 1 .. cardinality(p_first) LOOP
      IF ids[i] IS NULL THEN
        ids[i] := ids[p_first[i]];
        offs[i] := offs[p_first[i]];
      END IF;
    END LOOP;
  END IF;
  status := 'ok';
END
$$;

-- Appends all entries or none; see stream_open_v1 and stream_append_v1.
CREATE FUNCTION holdfast.stream_push_v1(
  p_now timestamptz, p_own boolean,
  p_queues text[], p_namespaces text[], p_tasks text[], p_sealed boolean[], p_plain boolean[], p_uids uuid[],
  p_id_queues integer[], p_id_froms bigint[], p_id_counts integer[],
  p_lane_queue integer[], p_lane_name text[],
  p_lane integer[], p_first integer[], p_suffix text[], p_transaction text[], p_trace uuid[],
  p_payload bytea[], p_encrypted boolean[], p_producer text[],
  OUT status text, OUT about text, OUT depth bigint, OUT room bigint, OUT needs bigint[],
  OUT queue_ids integer[], OUT tags integer[], OUT limits bigint[], OUT depths bigint[],
  OUT lane_ids bigint[], OUT ids uuid[], OUT offs bigint[], OUT is_known boolean[])
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  l record;
  a record;
BEGIN
  l := holdfast.stream_open_v1(p_now, p_own, p_queues, p_namespaces, p_tasks, p_sealed, p_plain, p_uids,
                               p_id_queues, p_id_froms, p_id_counts, p_lane_queue, p_lane_name);
  status := l.status;
  about := l.about;
  needs := l.needs;
  queue_ids := l.queue_ids;
  IF status <> 'ok' THEN
    RETURN;
  END IF;
  a := holdfast.stream_append_v1(p_own, l.now, p_queues, l.queue_ids, l.limits, l.windows,
                                 p_lane_queue, l.lane_queues, l.lane_ids, l.lane_lasts, l.lane_ats, l.lane_holds,
                                 l.lane_tids, p_lane, p_first, p_suffix, p_transaction, p_trace,
                                 p_payload, p_encrypted, p_producer);
  status := a.status;
  about := a.about;
  depth := a.depth;
  room := a.room;
  tags := l.tags;
  limits := l.limits;
  depths := a.depths;
  lane_ids := l.lane_ids;
  ids := a.ids;
  offs := a.offs;
  is_known := a.is_known;
END
$$;

-- Gives a group its cursors in the next partitions, or in one only. Whoever misses the subscription leaves it to
-- its holder; whoever misses a partition says that something may be pending. Answers how many were made.
CREATE FUNCTION holdfast.stream_seed_v1(p_now timestamptz, p_queue integer, p_sub bigint, p_only bigint)
RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off
AS $$
DECLARE
  v_step CONSTANT integer := 1000;
  v_sub record;
  v_ids bigint[];
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
    SELECT coalesce(array_agg(x.id ORDER BY x.id), '{}') INTO v_ids
      FROM (SELECT p.id FROM holdfast.stream_partition AS p
             WHERE p.queue_id = p_queue AND p.id > v_sub.seeded_through ORDER BY p.id LIMIT v_step) AS x;
  ELSE
    SELECT s.mode, s.from_at INTO v_sub FROM holdfast.stream_subscription AS s
     WHERE s.queue_id = p_queue AND s.id = p_sub;
    v_ids := ARRAY[p_only];
  END IF;

  SELECT coalesce(array_agg(x.id), '{}') INTO v_locked
    FROM (SELECT p.id FROM holdfast.stream_partition AS p
           WHERE p.queue_id = p_queue AND p.id = ANY (v_ids)
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
      JOIN holdfast.stream_partition AS p ON p.queue_id = q.id AND p.id = ANY (v_ids)
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
    UPDATE holdfast.stream_subscription AS s
       SET seeded_through = coalesce(v_ids[cardinality(v_ids)], s.seeded_through),
           seeded = cardinality(v_ids) < v_step
     WHERE s.queue_id = p_queue AND s.id = p_sub;
  END IF;
  PERFORM holdfast.stream_count_v1(p_queue, 'C', p_sub, v_committed, true);
  RETURN v_made;
END
$$;

-- Makes a group of a queue known, and answers its number; null if the queue is gone.
CREATE FUNCTION holdfast.stream_register_v1(
  p_now timestamptz, p_queue integer, p_group text, p_mode text, p_from timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz;
  v_id bigint;
BEGIN
  -- Waits for those who are making partitions, and holds up the next ones until they can see the group.
  PERFORM FROM holdfast.stream_queue AS q WHERE q.id = p_queue AND q.deleted_at IS NULL FOR UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  PERFORM holdfast.pause_point('register:locked');
  SELECT s.id INTO v_id FROM holdfast.stream_subscription AS s WHERE s.queue_id = p_queue AND s.name = p_group;
  IF FOUND THEN
    RETURN v_id;
  END IF;
  v_now := coalesce(p_now, clock_timestamp());
  UPDATE holdfast.stream_queue AS q SET next_id = q.next_id + 1 WHERE q.id = p_queue
  RETURNING q.next_id - 1 INTO v_id;
  INSERT INTO holdfast.stream_subscription (queue_id, id, name, mode, from_at, last_seen_at, created_at)
  VALUES (p_queue, v_id, p_group,
          CASE WHEN p_group = '__QUEUE_MODE__' THEN 'a' ELSE p_mode END,
          CASE WHEN p_group = '__QUEUE_MODE__' OR p_mode = 'a' THEN NULL WHEN p_mode = 'n' THEN v_now ELSE p_from END,
          v_now, v_now);
  RETURN v_id;
END
$$;

-- Claims up to p_partitions partitions of a queue, or of the queue with these labels that has waited longest. One
-- row per message, partition by partition, and a last row without an offset: when nothing came, how long until
-- something may be ready (next_us) and whether cursors are missing (seeding); else the ready_at that was reached,
-- and of which queue and group (queue).
-- p_floor: ready_at from which to look first; what lies below it is looked at when that brings nothing. It says
-- nothing about another queue or group than p_floor_of: its cursors may have been ready for longer.
CREATE FUNCTION holdfast.stream_pop_v1(
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
  v_ids integer[];
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
    SELECT array_agg(q.id) INTO v_ids FROM holdfast.stream_queue AS q
     WHERE q.name = p_queue AND q.deleted_at IS NULL AND NOT q.pop_paused
       AND NOT (SELECT g.pop_paused FROM holdfast.stream_global AS g WHERE g.one);
  ELSE
    SELECT array_agg(q.id ORDER BY q.name) INTO v_ids FROM holdfast.stream_queue AS q
     WHERE (p_namespace IS NULL OR q.namespace = p_namespace) AND (p_task IS NULL OR q.task = p_task)
       AND q.deleted_at IS NULL AND NOT q.pop_paused
       AND NOT (SELECT g.pop_paused FROM holdfast.stream_global AS g WHERE g.one);
  END IF;

  FOR v_i IN 1 .. coalesce(cardinality(v_ids), 0) LOOP
    IF p_partition IS NOT NULL THEN
      SELECT p.id INTO v_only FROM holdfast.stream_partition AS p
       WHERE p.queue_id = v_ids[v_i] AND p.name = p_partition;
      IF NOT FOUND THEN
        v_ids := '{}';
        EXIT;
      END IF;
    END IF;
    SELECT s.id, s.seeded, s.last_seen_at INTO v_s FROM holdfast.stream_subscription AS s
     WHERE s.queue_id = v_ids[v_i] AND s.name = p_group;
    IF NOT FOUND THEN
      v_s := NULL;
      SELECT r.id, false AS seeded, v_now AS last_seen_at INTO v_s
        FROM holdfast.stream_register_v1(p_now, v_ids[v_i], p_group, p_mode, p_from) AS r(id);
      IF v_s.id IS NULL THEN
        v_ids := '{}';
        EXIT;
      END IF;
      v_now := coalesce(p_now, clock_timestamp());
    END IF;
    v_subs := v_subs || v_s.id;
    IF NOT v_s.seeded THEN
      IF v_only IS NOT NULL AND NOT EXISTS (
           SELECT FROM holdfast.stream_cursor AS c
            WHERE c.queue_id = v_ids[v_i] AND c.partition_id = v_only AND c.sub_id = v_s.id) THEN
        PERFORM holdfast.stream_seed_v1(p_now, v_ids[v_i], v_s.id, v_only);
      END IF;
      PERFORM holdfast.stream_seed_v1(p_now, v_ids[v_i], v_s.id, NULL);
      v_now := coalesce(p_now, clock_timestamp());
      v_seeding := v_seeding OR NOT (SELECT s.seeded FROM holdfast.stream_subscription AS s
                                      WHERE s.queue_id = v_ids[v_i] AND s.id = v_s.id);
    END IF;
    IF v_s.last_seen_at <= v_now - interval '1 second' THEN
      PERFORM holdfast.stream_touch_v1(v_now, v_ids[v_i], v_s.id);
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
                   retry_count = 0, marks = v_c.marks, last_error = NULL, last_failed_at = NULL
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

-- The offsets of these transaction ids: first in the batch, then among what is committed; null for those in neither.
CREATE FUNCTION holdfast.stream_resolve_v1(
  p_queue integer, p_partition bigint, p_sub bigint, p_committed bigint, p_batch_end bigint, p_transactions text[])
RETURNS bigint[] LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_nestloop = off SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  v_offs bigint[];
  v_off bigint;
  v_tx text;
BEGIN
  SELECT array_agg(m.off ORDER BY t.ord) INTO v_offs
    FROM unnest(p_transactions) WITH ORDINALITY AS t(tx, ord)
    LEFT JOIN (SELECT coalesce(m.transaction_id, m.id::text) AS tx, min(m.off) AS off
                 FROM holdfast.stream_message AS m
                WHERE m.queue_id = p_queue AND m.partition_id = p_partition
                  AND m.off > p_committed AND m.off <= p_batch_end
                  AND (m.only_sub IS NULL OR m.only_sub = p_sub)
                GROUP BY 1) AS m ON m.tx = t.tx;
  FOR i IN 1 .. cardinality(p_transactions) LOOP
    v_tx := p_transactions[i];
    IF v_tx IS NOT NULL AND v_offs[i] IS NULL THEN
      SELECT m.off INTO v_off FROM holdfast.stream_message AS m
       WHERE m.queue_id = p_queue AND hashtextextended(m.transaction_id, 0) = hashtextextended(v_tx, 0)
         AND m.partition_id = p_partition AND m.transaction_id = v_tx AND m.off <= p_committed
       ORDER BY m.off + 0 DESC LIMIT 1;
      IF NOT FOUND AND v_tx ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$' THEN
        SELECT m.off INTO v_off FROM holdfast.stream_message AS m
         WHERE m.queue_id = p_queue AND m.partition_id = p_partition
           AND m.off = holdfast.stream_offset_of_v1(p_queue, p_partition, v_tx::uuid)
           AND m.off <= p_committed AND m.transaction_id IS NULL;
      END IF;
      v_offs[i] := v_off;
    END IF;
  END LOOP;
  RETURN v_offs;
END
$$;

-- Takes verdicts about the batch of a cursor that is locked: c completed, f failed, r retry, d dead letter, p park.
-- From the cursor up, in one of three states: everything so far is passed; there is a gap below; or a message below
-- stopped the cursor. p_offs are sorted by nothing; where null, p_transactions says which.
CREATE FUNCTION holdfast.stream_walk_v1(
  p_now timestamptz, p_own boolean, p_required uuid[], p_cursor holdfast.stream_cursor,
  p_leases uuid[], p_offs bigint[], p_transactions text[], p_verdicts text[], p_errors text[],
  OUT is_released boolean, OUT ready_at timestamptz, OUT moved bigint,
  OUT errors text[], OUT noops boolean[], OUT deads boolean[])
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_variable
DECLARE
  k holdfast.stream_cursor := p_cursor;
  n integer := cardinality(p_verdicts);
  q record;
  v_leased boolean := k.leased_at IS NOT NULL AND k.ready_at > p_now;
  v_was_parked boolean := k.park_reason IS NOT NULL AND k.ready_at = 'infinity';
  v_offs bigint[] := p_offs;
  v_order integer[];
  v_late boolean[] := array_fill(false, ARRAY[n]);
  v_walks boolean := false;
  v_state text := 'pass';
  v_parked text;
  v_not_before timestamptz;
  v_next integer := 1;
  v_item integer;
  v_verdict text;
  v_error text;
  v_is_new boolean;
  v_stored integer := k.marks;
  v_deleted integer;
  v_before bigint := k.committed;
  v_rest record;
  m record;
  i integer;
BEGIN
  is_released := false;
  moved := 0;
  errors := array_fill(NULL::text, ARRAY[n]);
  noops := array_fill(false, ARRAY[n]);
  deads := array_fill(false, ARRAY[n]);
  FOR i IN 1 .. n LOOP
    IF p_leases[i] IS NULL THEN
      IF v_leased AND k.lease_id <> ALL (p_required) THEN
        errors[i] := 'LEASE_LOST';
      END IF;
    ELSIF p_leases[i] IS DISTINCT FROM k.lease_id THEN
      errors[i] := 'LEASE_LOST';
    ELSIF NOT v_leased THEN
      v_late[i] := true;
    END IF;
  END LOOP;
  IF p_transactions IS NOT NULL THEN
    v_offs := holdfast.stream_resolve_v1(k.queue_id, k.partition_id, k.sub_id, k.committed, k.batch_end,
                                         p_transactions);
    FOR i IN 1 .. n LOOP
      IF p_transactions[i] IS NULL THEN
        v_offs[i] := p_offs[i];
      END IF;
    END LOOP;
  END IF;
  FOR i IN 1 .. n LOOP
    IF errors[i] IS NOT NULL THEN
      v_offs[i] := NULL;
    ELSIF v_offs[i] IS NULL OR v_offs[i] <= 0 OR v_offs[i] > greatest(k.committed, k.batch_end) THEN
      errors[i] := CASE WHEN v_late[i] THEN 'LEASE_LOST' ELSE 'UNRESOLVABLE' END;
      v_offs[i] := NULL;
    ELSIF v_offs[i] <= k.committed THEN
      IF p_verdicts[i] = 'c' THEN
        noops[i] := true;
      ELSE
        errors[i] := 'ALREADY_COMMITTED';
      END IF;
      v_offs[i] := NULL;
    END IF;
  END LOOP;
  SELECT coalesce(array_agg(o.ord ORDER BY o.off, o.ord), '{}') INTO v_order
    FROM unnest(v_offs) WITH ORDINALITY AS o(off, ord) WHERE o.off IS NOT NULL;
  SELECT s.retry_limit, s.retry_delay_ms, s.on_exhausted INTO q
    FROM holdfast.stream_queue AS s WHERE s.id = k.queue_id;
  -- Whether anything new is said about the batch.
  v_walks := EXISTS (
    SELECT FROM unnest(v_offs, v_late) AS o(off, is_late)
      JOIN holdfast.stream_message AS t
        ON t.queue_id = k.queue_id AND t.partition_id = k.partition_id AND t.off = o.off
       AND (t.only_sub IS NULL OR t.only_sub = k.sub_id)
     WHERE NOT o.is_late
       AND NOT EXISTS (SELECT FROM holdfast.stream_mark AS a
                        WHERE k.marks > 0 AND a.queue_id = k.queue_id AND a.partition_id = k.partition_id
                          AND a.sub_id = k.sub_id AND a.off = o.off));

  FOR m IN
    SELECT t.off, a.kind, a.error
      FROM holdfast.stream_message AS t
      LEFT JOIN holdfast.stream_mark AS a
        ON k.marks > 0 AND a.queue_id = k.queue_id AND a.partition_id = k.partition_id AND a.sub_id = k.sub_id
       AND a.off = t.off
     WHERE t.queue_id = k.queue_id AND t.partition_id = k.partition_id
       AND t.off > v_before AND t.off <= k.batch_end
       AND (t.only_sub IS NULL OR t.only_sub = k.sub_id)
     ORDER BY t.off
  LOOP
    v_item := NULL;
    WHILE v_next <= cardinality(v_order) AND v_offs[v_order[v_next]] <= m.off LOOP
      i := v_order[v_next];
      v_next := v_next + 1;
      IF v_offs[i] < m.off THEN
        errors[i] := CASE WHEN v_late[i] THEN 'LEASE_LOST' ELSE 'UNRESOLVABLE' END;
      ELSIF m.kind = 'd' THEN
        IF p_verdicts[i] = 'c' THEN
          noops[i] := true;
        ELSE
          errors[i] := 'ALREADY_COMMITTED';
        END IF;
      ELSIF v_late[i] THEN
        errors[i] := 'LEASE_LOST';
      ELSIF m.kind IS NOT NULL OR v_item IS NOT NULL THEN
        IF p_verdicts[i] = coalesce(m.kind::text, p_verdicts[v_item]) THEN
          noops[i] := true;
        ELSE
          errors[i] := 'INVALID_ARGUMENT';
        END IF;
      ELSE
        v_item := i;
      END IF;
    END LOOP;
    EXIT WHEN NOT v_walks AND v_next > cardinality(v_order);
    CONTINUE WHEN NOT v_walks;

    v_is_new := v_item IS NOT NULL;
    v_verdict := CASE WHEN v_is_new THEN p_verdicts[v_item] WHEN m.kind = 'd' THEN 'c' ELSE m.kind::text END;
    v_error := CASE WHEN v_is_new THEN p_errors[v_item] ELSE m.error END;
    IF v_is_new THEN
      k.batch_count := greatest(k.batch_count - 1, 0);
    END IF;

    IF v_state = 'pass' THEN
      IF v_verdict IS NULL THEN
        v_state := 'gap';
      ELSIF v_verdict IN ('r', 'p') OR v_verdict = 'f' AND (k.retry_count < q.retry_limit OR q.on_exhausted = 'park')
      THEN
        v_state := 'stop';
        IF v_verdict = 'f' AND k.retry_count < q.retry_limit THEN
          k.retry_count := k.retry_count + 1;
          k.last_error := v_error;
          k.last_failed_at := p_now;
          v_not_before := p_now + q.retry_delay_ms * interval '1 millisecond';
        ELSIF v_verdict = 'f' THEN
          v_parked := coalesce(v_error, 'retries exhausted');
        ELSIF v_verdict = 'p' THEN
          v_parked := coalesce(v_error, 'parked by its consumer');
        ELSE
          k.last_error := v_error;
        END IF;
      ELSE
        IF v_verdict IN ('f', 'd') THEN
          PERFORM holdfast.stream_bury_v1(p_now, k.queue_id, k.partition_id, k.sub_id, m.off,
            CASE v_verdict WHEN 'f' THEN 'retry_limit' ELSE 'verdict' END, v_error,
            k.retry_count + CASE v_verdict WHEN 'f' THEN 1 ELSE 0 END, k.attempt);
          IF v_is_new THEN
            deads[v_item] := true;
          END IF;
        END IF;
        k.committed := m.off;
        k.retry_count := 0;
        k.expiries := 0;
        k.last_error := NULL;
        k.last_failed_at := NULL;
      END IF;
    ELSIF v_is_new THEN
      IF v_verdict = 'd' THEN
        PERFORM holdfast.stream_bury_v1(p_now, k.queue_id, k.partition_id, k.sub_id, m.off, 'verdict', v_error, 0,
                                        k.attempt);
        deads[v_item] := true;
      END IF;
      IF v_state = 'stop' AND v_verdict = 'c' THEN
        errors[v_item] := 'REWOUND';
      ELSIF v_state = 'gap' OR v_verdict = 'd' THEN
        INSERT INTO holdfast.stream_mark (queue_id, partition_id, sub_id, off, kind, error, at)
        VALUES (k.queue_id, k.partition_id, k.sub_id, m.off, CASE WHEN v_verdict IN ('c', 'd') THEN 'd' ELSE v_verdict END,
                CASE WHEN v_verdict NOT IN ('c', 'd') THEN v_error END, p_now);
        v_stored := v_stored + 1;
      END IF;
    END IF;
    EXIT WHEN v_state <> 'pass' AND v_next > cardinality(v_order);
  END LOOP;
  WHILE v_next <= cardinality(v_order) LOOP
    i := v_order[v_next];
    errors[i] := CASE WHEN v_late[i] THEN 'LEASE_LOST' ELSE 'UNRESOLVABLE' END;
    v_next := v_next + 1;
  END LOOP;
  IF NOT v_walks THEN
    RETURN;
  END IF;

  IF v_state = 'pass' THEN
    k.committed := greatest(k.committed, k.batch_end);
  END IF;
  is_released := v_state <> 'gap';
  IF k.committed > v_before THEN
    k.attempt := CASE WHEN k.batch_end > k.committed THEN 1 ELSE 0 END;
    k.last_ack_at := p_now;
  END IF;
  IF v_stored > 0 THEN
    DELETE FROM holdfast.stream_mark AS a
     WHERE a.queue_id = k.queue_id AND a.partition_id = k.partition_id AND a.sub_id = k.sub_id
       AND (a.off <= k.committed OR is_released AND a.kind <> 'd');
    GET DIAGNOSTICS v_deleted = ROW_COUNT;
    v_stored := v_stored - v_deleted;
  END IF;
  IF is_released THEN
    k.leased_at := NULL;
    k.batch_count := 0;
    IF v_parked IS NOT NULL THEN
      k.park_reason := v_parked;
      k.ready_at := 'infinity';
      k.lease_id := NULL;
      k.fence := k.fence + 1;
    ELSIF NOT v_was_parked THEN
      v_rest := holdfast.stream_rest_v1(p_now, k.queue_id, k.partition_id, k.sub_id, k.committed, v_stored, p_now,
                                        p_own);
      IF v_stored > 0 AND v_rest.committed > k.committed THEN
        DELETE FROM holdfast.stream_mark AS a
         WHERE a.queue_id = k.queue_id AND a.partition_id = k.partition_id AND a.sub_id = k.sub_id;
        v_stored := 0;
      END IF;
      k.committed := v_rest.committed;
      k.ready_at := CASE WHEN v_rest.ready_at IS NOT NULL THEN greatest(v_rest.ready_at, v_not_before) END;
      ready_at := k.ready_at;
    END IF;
  END IF;
  moved := k.committed - v_before;
  UPDATE holdfast.stream_cursor AS c
     SET committed = k.committed, batch_count = k.batch_count, lease_id = k.lease_id, leased_at = k.leased_at,
         fence = k.fence, ready_at = k.ready_at, attempt = k.attempt, expiries = k.expiries,
         retry_count = k.retry_count, marks = v_stored, last_error = k.last_error,
         last_failed_at = k.last_failed_at, last_ack_at = k.last_ack_at, park_reason = k.park_reason
   WHERE c.queue_id = k.queue_id AND c.partition_id = k.partition_id AND c.sub_id = k.sub_id;
END
$$;

-- Takes the verdicts of a call, cursor by cursor. A cursor of which offsets c_lo to c_hi are completed under c_lease
-- has no items of its own; else its items are those from c_from to c_to. Answers one row per cursor that there is;
-- without arrays, every verdict counts.
CREATE FUNCTION holdfast.stream_ack_v1(
  p_now timestamptz, p_own boolean, p_required uuid[],
  c_queue integer[], c_tag integer[], c_partition bigint[], c_group text[],
  c_lease uuid[], c_lo bigint[], c_hi bigint[], c_from integer[], c_to integer[],
  i_lease uuid[], i_off bigint[], i_transaction text[], i_verdict text[], i_error text[])
RETURNS TABLE (place integer, queue text, is_released boolean, ready_us bigint,
               errors text[], noops boolean[], deads boolean[])
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_variable
DECLARE
  v_now timestamptz;
  v_queues integer[] := '{}';
  v_subs bigint[] := '{}';
  v_moves bigint[] := '{}';
  v_n integer;
  v_moved bigint;
  v_ready timestamptz;
  l record;
  k holdfast.stream_cursor;
  r record;
BEGIN
  FOR l IN
    SELECT a.ord::integer AS ord, a.queue_name::text AS queue, a.last_seen_at, c.cursor
      FROM (SELECT a.ord, a.queue, a.partition, q.name AS queue_name, s.id AS sub, s.last_seen_at
              FROM unnest(c_queue, c_tag, c_partition, c_group) WITH ORDINALITY AS a(queue, tag, partition, name, ord)
             CROSS JOIN LATERAL (
                    SELECT q.name FROM holdfast.stream_queue AS q
                     WHERE q.id = a.queue AND q.tag = a.tag AND q.deleted_at IS NULL OFFSET 0) AS q
             CROSS JOIN LATERAL (
                    SELECT s.id, s.last_seen_at FROM holdfast.stream_subscription AS s
                     WHERE s.queue_id = a.queue AND s.name = a.name OFFSET 0) AS s
             ORDER BY a.queue, a.partition, s.id) AS a
     CROSS JOIN LATERAL (
            SELECT c AS cursor FROM holdfast.stream_cursor AS c
             WHERE c.queue_id = a.queue AND c.partition_id = a.partition AND c.sub_id = a.sub
               FOR NO KEY UPDATE) AS c
  LOOP
    k := l.cursor;
    v_now := coalesce(p_now, clock_timestamp());
    PERFORM holdfast.pause_point('ack:locked');
    place := l.ord;
    queue := l.queue;
    is_released := false;
    errors := NULL;
    noops := NULL;
    deads := NULL;
    v_ready := NULL;
    IF c_lo[place] = k.committed + 1 AND c_hi[place] <= k.batch_end AND c_lease[place] = k.lease_id
       AND k.leased_at IS NOT NULL AND k.ready_at > v_now
       AND k.marks = 0 AND k.batch_count = k.batch_end - k.committed THEN
      -- All of the batch, or its first part, and nothing else is to be said about it.
      is_released := c_hi[place] = k.batch_end;
      v_moved := c_hi[place] - k.committed;
      IF is_released THEN
        r := holdfast.stream_rest_v1(v_now, k.queue_id, k.partition_id, k.sub_id, c_hi[place], 0, v_now, p_own);
        v_moved := r.committed - k.committed;
        v_ready := r.ready_at;
        UPDATE holdfast.stream_cursor AS c
           SET committed = r.committed, batch_count = 0, leased_at = NULL, ready_at = r.ready_at, attempt = 0,
               expiries = 0, retry_count = 0, last_error = NULL, last_failed_at = NULL, last_ack_at = v_now
         WHERE c.queue_id = k.queue_id AND c.partition_id = k.partition_id AND c.sub_id = k.sub_id;
      ELSE
        UPDATE holdfast.stream_cursor AS c
           SET committed = c_hi[place], batch_count = (k.batch_end - c_hi[place])::integer, attempt = 1,
               expiries = 0, retry_count = 0, last_error = NULL, last_failed_at = NULL, last_ack_at = v_now
         WHERE c.queue_id = k.queue_id AND c.partition_id = k.partition_id AND c.sub_id = k.sub_id;
      END IF;
    ELSE
      IF c_lo[place] > 0 THEN
        v_n := (c_hi[place] - c_lo[place] + 1)::integer;
        r := holdfast.stream_walk_v1(v_now, p_own, p_required, k, array_fill(c_lease[place], ARRAY[v_n]),
               ARRAY(SELECT generate_series(c_lo[place], c_hi[place])), NULL, array_fill('c'::text, ARRAY[v_n]),
               array_fill(NULL::text, ARRAY[v_n]));
      ELSE
        r := holdfast.stream_walk_v1(v_now, p_own, p_required, k, i_lease[c_from[place]:c_to[place]],
               i_off[c_from[place]:c_to[place]], i_transaction[c_from[place]:c_to[place]],
               i_verdict[c_from[place]:c_to[place]], i_error[c_from[place]:c_to[place]]);
      END IF;
      is_released := r.is_released;
      v_moved := r.moved;
      v_ready := r.ready_at;
      errors := r.errors;
      noops := r.noops;
      deads := r.deads;
    END IF;
    ready_us := CASE WHEN v_ready IS NOT NULL THEN
      greatest(0, holdfast.stream_micros_v1(v_ready) - holdfast.stream_micros_v1(v_now)) END;
    IF v_moved <> 0 THEN
      v_queues := v_queues || k.queue_id;
      v_subs := v_subs || k.sub_id;
      v_moves := v_moves || v_moved;
    END IF;
    IF p_own AND l.last_seen_at <= v_now - interval '1 second' THEN
      PERFORM holdfast.stream_touch_v1(v_now, k.queue_id, k.sub_id);
    END IF;
    RETURN NEXT;
  END LOOP;
  PERFORM holdfast.pause_point('ack:written');
  IF cardinality(v_moves) > 0 THEN
    INSERT INTO holdfast.stream_counter AS c (queue_id, kind, sub_id, stripe, n)
    SELECT v.queue, 'C', v.sub, CASE WHEN p_own THEN 0 ELSE 1 + floor(random() * 2000000000)::integer END, sum(v.n)
      FROM unnest(v_queues, v_subs, v_moves) AS v(queue, sub, n)
     GROUP BY v.queue, v.sub ORDER BY v.queue, v.sub
    ON CONFLICT (queue_id, kind, sub_id, stripe) DO UPDATE SET n = c.n + excluded.n;
  END IF;
END
$$;

-- Makes leases last longer. Whoever works on a cursor keeps it as it is.
CREATE FUNCTION holdfast.stream_extend_v1(p_now timestamptz, p_queue integer[], p_lease uuid[], p_us bigint[])
RETURNS TABLE (place integer, partitions integer, expires_at timestamptz)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_variable
DECLARE
  v_now timestamptz;
  v_sub bigint;
BEGIN
  FOR i IN 1 .. cardinality(p_lease) LOOP
    place := i;
    v_now := coalesce(p_now, clock_timestamp());
    WITH held AS MATERIALIZED (
      SELECT c.partition_id, c.sub_id FROM holdfast.stream_cursor AS c
       WHERE c.queue_id = p_queue[i] AND c.lease_id = p_lease[i] AND c.leased_at IS NOT NULL AND c.ready_at > v_now
         AND EXISTS (SELECT FROM holdfast.stream_queue AS q WHERE q.id = p_queue[i] AND q.deleted_at IS NULL)
       ORDER BY c.partition_id, c.sub_id FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE holdfast.stream_cursor AS c
       SET ready_at = v_now + p_us[i] * interval '1 microsecond'
      FROM held AS h
     WHERE c.queue_id = p_queue[i] AND c.partition_id = h.partition_id AND c.sub_id = h.sub_id
       AND c.ready_at < v_now + p_us[i] * interval '1 microsecond';
    SELECT count(*), min(c.ready_at), min(c.sub_id) INTO partitions, expires_at, v_sub
      FROM holdfast.stream_cursor AS c
     WHERE c.queue_id = p_queue[i] AND c.lease_id = p_lease[i] AND c.leased_at IS NOT NULL AND c.ready_at > v_now
       AND EXISTS (SELECT FROM holdfast.stream_queue AS q WHERE q.id = p_queue[i] AND q.deleted_at IS NULL);
    IF partitions > 0 THEN
      PERFORM holdfast.stream_touch_v1(v_now, p_queue[i], v_sub);
    END IF;
    RETURN NEXT;
  END LOOP;
END
$$;

-- Lets go of a cursor that is locked: what is not settled is free again from now on. Answers by how much it moved.
CREATE FUNCTION holdfast.stream_free_v1(
  p_now timestamptz, p_own boolean, p_cursor holdfast.stream_cursor, OUT moved bigint, OUT ready_at timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  k holdfast.stream_cursor := p_cursor;
  v_rest record;
  v_deleted integer;
BEGIN
  IF k.marks > 0 THEN
    DELETE FROM holdfast.stream_mark AS a
     WHERE a.queue_id = k.queue_id AND a.partition_id = k.partition_id AND a.sub_id = k.sub_id
       AND (a.kind <> 'd' OR a.off <= k.committed);
    GET DIAGNOSTICS v_deleted = ROW_COUNT;
    k.marks := k.marks - v_deleted;
  END IF;
  v_rest := holdfast.stream_rest_v1(p_now, k.queue_id, k.partition_id, k.sub_id, k.committed, k.marks, p_now, p_own);
  IF k.marks > 0 AND v_rest.committed > k.committed THEN
    DELETE FROM holdfast.stream_mark AS a
     WHERE a.queue_id = k.queue_id AND a.partition_id = k.partition_id AND a.sub_id = k.sub_id;
    k.marks := 0;
  END IF;
  ready_at := v_rest.ready_at;
  UPDATE holdfast.stream_cursor AS c
     SET committed = v_rest.committed, batch_count = 0, lease_id = k.lease_id, leased_at = NULL, fence = k.fence,
         ready_at = v_rest.ready_at, attempt = k.attempt, expiries = k.expiries, retry_count = k.retry_count,
         marks = k.marks, last_error = k.last_error, last_failed_at = k.last_failed_at, park_reason = k.park_reason
   WHERE c.queue_id = k.queue_id AND c.partition_id = k.partition_id AND c.sub_id = k.sub_id
  RETURNING c.committed - p_cursor.committed INTO moved;
END
$$;

-- Returns what a lease holds, or one partition of it. One row per partition.
CREATE FUNCTION holdfast.stream_release_v1(
  p_now timestamptz, p_own boolean, p_queue integer, p_lease uuid, p_tag integer, p_partition bigint)
RETURNS TABLE (queue text, group_name text, ready_us bigint)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_variable
DECLARE
  v_now timestamptz;
  v_sub bigint;
  v_moved bigint := 0;
  l record;
  k holdfast.stream_cursor;
  r record;
BEGIN
  FOR l IN
    SELECT q.name::text AS queue, s.name::text AS group_name, c AS cursor
      FROM holdfast.stream_queue AS q
      JOIN holdfast.stream_cursor AS c ON c.queue_id = q.id AND c.lease_id = p_lease
      JOIN holdfast.stream_subscription AS s ON s.queue_id = q.id AND s.id = c.sub_id AND s.name IS NOT NULL
     WHERE q.id = p_queue AND q.deleted_at IS NULL
       AND (p_partition IS NULL OR c.partition_id = p_partition AND q.tag = p_tag)
     ORDER BY c.queue_id, c.partition_id, c.sub_id
       FOR NO KEY UPDATE OF c
  LOOP
    k := l.cursor;
    v_now := coalesce(p_now, clock_timestamp());
    CONTINUE WHEN k.leased_at IS NULL OR k.ready_at <= v_now OR k.lease_id <> p_lease;
    k.attempt := greatest(k.attempt - 1, 0);
    r := holdfast.stream_free_v1(v_now, p_own, k);
    v_sub := k.sub_id;
    v_moved := v_moved + r.moved;
    queue := l.queue;
    group_name := l.group_name;
    ready_us := CASE WHEN r.ready_at IS NOT NULL THEN
      greatest(0, holdfast.stream_micros_v1(r.ready_at) - holdfast.stream_micros_v1(v_now)) END;
    RETURN NEXT;
  END LOOP;
  PERFORM holdfast.stream_count_v1(p_queue, 'C', v_sub, v_moved, p_own);
END
$$;

-- Pushes and settles together: the lanes are locked, then the verdicts are taken, then the entries are appended.
-- A refused verdict or a full queue undoes everything, and only that: a caller's transaction goes on.
--   refused  one row per cursor tells why
-- The first row is the answer of the push, those with a place are answers of the acks.
CREATE FUNCTION holdfast.stream_transact_v1(
  p_now timestamptz, p_own boolean,
  p_queues text[], p_namespaces text[], p_tasks text[], p_sealed boolean[], p_plain boolean[], p_uids uuid[],
  p_id_queues integer[], p_id_froms bigint[], p_id_counts integer[],
  p_lane_queue integer[], p_lane_name text[],
  p_lane integer[], p_first integer[], p_suffix text[], p_transaction text[], p_trace uuid[],
  p_payload bytea[], p_encrypted boolean[], p_producer text[],
  p_required uuid[],
  c_queue integer[], c_tag integer[], c_partition bigint[], c_group text[],
  c_lease uuid[], c_lo bigint[], c_hi bigint[], c_from integer[], c_to integer[],
  i_lease uuid[], i_off bigint[], i_transaction text[], i_verdict text[], i_error text[])
RETURNS TABLE (
  status text, about text, depth bigint, room bigint, needs bigint[],
  queue_ids integer[], tags integer[], limits bigint[], depths bigint[],
  lane_ids bigint[], ids uuid[], offs bigint[], is_known boolean[],
  place integer, queue text, is_released boolean, ready_us bigint, errors text[], noops boolean[], deads boolean[])
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  l record;
  a record;
  v_places integer[] := '{}';
  v_queues text[] := '{}';
  v_released boolean[] := '{}';
  v_ready bigint[] := '{}';
  v_answers jsonb[] := '{}';
  v_refused boolean := false;
  r record;
BEGIN
  BEGIN
    IF cardinality(p_queues) > 0 THEN
      l := holdfast.stream_open_v1(p_now, p_own, p_queues, p_namespaces, p_tasks, p_sealed, p_plain, p_uids,
                                   p_id_queues, p_id_froms, p_id_counts, p_lane_queue, p_lane_name);
      status := l.status;
      about := l.about;
      needs := l.needs;
      queue_ids := l.queue_ids;
    ELSIF NOT p_own AND current_setting('transaction_isolation') NOT LIKE 'read%' THEN
      status := 'isolation';
    ELSE
      status := 'ok';
    END IF;
    IF status = 'ok' THEN
      FOR r IN
        SELECT t.* FROM holdfast.stream_ack_v1(p_now, p_own, p_required, c_queue, c_tag, c_partition, c_group,
                          c_lease, c_lo, c_hi, c_from, c_to, i_lease, i_off, i_transaction, i_verdict, i_error) AS t
      LOOP
        v_places := v_places || r.place;
        v_queues := v_queues || r.queue;
        v_released := v_released || r.is_released;
        v_ready := v_ready || r.ready_us;
        v_answers := v_answers || jsonb_build_object('e', r.errors, 'n', r.noops, 'd', r.deads);
        v_refused := v_refused OR EXISTS (SELECT FROM unnest(r.errors) AS e(error) WHERE e.error IS NOT NULL);
      END LOOP;
      IF v_refused OR cardinality(v_places) < cardinality(c_queue) THEN
        status := 'refused';
        RAISE EXCEPTION USING ERRCODE = 'HF001';
      END IF;
    END IF;
    IF status = 'ok' AND cardinality(p_queues) > 0 THEN
      a := holdfast.stream_append_v1(p_own, l.now, p_queues, l.queue_ids, l.limits, l.windows,
                                     p_lane_queue, l.lane_queues, l.lane_ids, l.lane_lasts, l.lane_ats,
                                     l.lane_holds, l.lane_tids, p_lane, p_first, p_suffix, p_transaction, p_trace,
                                     p_payload, p_encrypted, p_producer);
      status := a.status;
      about := a.about;
      depth := a.depth;
      room := a.room;
      tags := l.tags;
      limits := l.limits;
      depths := a.depths;
      lane_ids := l.lane_ids;
      ids := a.ids;
      offs := a.offs;
      is_known := a.is_known;
      IF status = 'full' THEN
        RAISE EXCEPTION USING ERRCODE = 'HF001';
      END IF;
    END IF;
  EXCEPTION WHEN SQLSTATE 'HF001' THEN
    NULL;
  END;
  RETURN NEXT;
  FOR i IN 1 .. cardinality(v_places) LOOP
    place := v_places[i];
    queue := v_queues[i];
    is_released := v_released[i];
    ready_us := v_ready[i];
    errors := CASE WHEN v_answers[i] -> 'e' <> 'null' THEN
      ARRAY(SELECT e.x #>> '{}' FROM jsonb_array_elements(v_answers[i] -> 'e') WITH ORDINALITY AS e(x, o) ORDER BY e.o) END;
    noops := CASE WHEN v_answers[i] -> 'n' <> 'null' THEN
      ARRAY(SELECT e.x::boolean FROM jsonb_array_elements(v_answers[i] -> 'n') WITH ORDINALITY AS e(x, o) ORDER BY e.o) END;
    deads := CASE WHEN v_answers[i] -> 'd' <> 'null' THEN
      ARRAY(SELECT e.x::boolean FROM jsonb_array_elements(v_answers[i] -> 'd') WITH ORDINALITY AS e(x, o) ORDER BY e.o) END;
    status := NULL;
    RETURN NEXT;
  END LOOP;
END
$$;

-- Finds a cursor by its names, and makes it if the group has none in that partition yet.
--   status: ok, queue, partition or group (there is no such)
CREATE FUNCTION holdfast.stream_find_cursor_v1(
  p_now timestamptz, p_queue text, p_partition text, p_group text,
  OUT status text, OUT queue_id integer, OUT partition_id bigint, OUT sub_id bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
  SELECT q.id INTO queue_id FROM holdfast.stream_queue AS q WHERE q.name = p_queue AND q.deleted_at IS NULL;
  IF NOT FOUND THEN
    status := 'queue';
    RETURN;
  END IF;
  SELECT p.id INTO partition_id FROM holdfast.stream_partition AS p
   WHERE p.queue_id = stream_find_cursor_v1.queue_id AND p.name = p_partition;
  IF NOT FOUND THEN
    status := 'partition';
    RETURN;
  END IF;
  SELECT s.id INTO sub_id FROM holdfast.stream_subscription AS s
   WHERE s.queue_id = stream_find_cursor_v1.queue_id AND s.name = p_group;
  IF NOT FOUND THEN
    status := 'group';
    RETURN;
  END IF;
  PERFORM FROM holdfast.stream_cursor AS c
    WHERE c.queue_id = stream_find_cursor_v1.queue_id AND c.partition_id = stream_find_cursor_v1.partition_id
      AND c.sub_id = stream_find_cursor_v1.sub_id;
  IF NOT FOUND THEN
    PERFORM holdfast.stream_seed_v1(p_now, queue_id, sub_id, partition_id);
  END IF;
  status := 'ok';
END
$$;

-- Takes a lease away.
CREATE FUNCTION holdfast.stream_revoke_v1(
  p_now timestamptz, p_queue text, p_partition text, p_group text, p_fence bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  k holdfast.stream_cursor;
  r record;
  v_now timestamptz;
BEGIN
  SELECT c.* INTO k
    FROM holdfast.stream_queue AS q
    JOIN holdfast.stream_partition AS p ON p.queue_id = q.id AND p.name = p_partition
    JOIN holdfast.stream_subscription AS s ON s.queue_id = q.id AND s.name = p_group
    JOIN holdfast.stream_cursor AS c ON c.queue_id = q.id AND c.partition_id = p.id AND c.sub_id = s.id
   WHERE q.name = p_queue AND q.deleted_at IS NULL
     FOR NO KEY UPDATE OF c;
  v_now := coalesce(p_now, clock_timestamp());
  IF NOT FOUND OR k.leased_at IS NULL OR k.ready_at <= v_now OR k.fence <> coalesce(p_fence, k.fence) THEN
    RETURN false;
  END IF;
  k.lease_id := NULL;
  k.fence := k.fence + 1;
  k.attempt := greatest(k.attempt - 1, 0);
  r := holdfast.stream_free_v1(v_now, true, k);
  PERFORM holdfast.stream_count_v1(k.queue_id, 'C', k.sub_id, r.moved, true);
  RETURN true;
END
$$;

-- Stops delivery. Answers ok, or what there is not: queue, partition, group.
CREATE FUNCTION holdfast.stream_park_v1(
  p_now timestamptz, p_queue text, p_partition text, p_group text, p_reason text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  f record;
BEGIN
  f := holdfast.stream_find_cursor_v1(p_now, p_queue, p_partition, p_group);
  IF f.status = 'ok' THEN
    UPDATE holdfast.stream_cursor AS c
       SET ready_at = 'infinity', lease_id = NULL, leased_at = NULL, batch_count = 0, fence = c.fence + 1,
           park_reason = p_reason,
           marks = (SELECT count(*) FROM holdfast.stream_mark AS a
                     WHERE a.queue_id = c.queue_id AND a.partition_id = c.partition_id AND a.sub_id = c.sub_id
                       AND a.kind = 'd')
     WHERE c.queue_id = f.queue_id AND c.partition_id = f.partition_id AND c.sub_id = f.sub_id;
    DELETE FROM holdfast.stream_mark AS a
     WHERE a.queue_id = f.queue_id AND a.partition_id = f.partition_id AND a.sub_id = f.sub_id AND a.kind <> 'd';
  END IF;
  RETURN f.status;
END
$$;

-- Goes on, with the head or behind it. Answers ok, no (it was not parked), or what there is not.
CREATE FUNCTION holdfast.stream_unpark_v1(
  p_now timestamptz, p_queue text, p_partition text, p_group text, p_skip boolean)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  f record;
  k holdfast.stream_cursor;
  v_now timestamptz;
  v_before bigint;
  v_head record;
  r record;
BEGIN
  f := holdfast.stream_find_cursor_v1(p_now, p_queue, p_partition, p_group);
  IF f.status <> 'ok' THEN
    RETURN f.status;
  END IF;
  SELECT c.* INTO k FROM holdfast.stream_cursor AS c
   WHERE c.queue_id = f.queue_id AND c.partition_id = f.partition_id AND c.sub_id = f.sub_id FOR NO KEY UPDATE;
  v_now := coalesce(p_now, clock_timestamp());
  IF k.ready_at IS DISTINCT FROM 'infinity' THEN
    RETURN 'no';
  END IF;
  v_before := k.committed;
  IF p_skip THEN
    v_head := holdfast.stream_head_v1(k.queue_id, k.partition_id, k.sub_id, k.committed, k.marks);
    IF v_head.off IS NOT NULL THEN
      PERFORM holdfast.stream_bury_v1(v_now, k.queue_id, k.partition_id, k.sub_id, v_head.off, 'skipped',
                                      k.park_reason, k.retry_count, k.attempt);
      k.committed := v_head.off;
    END IF;
  END IF;
  k.attempt := 0;
  k.expiries := 0;
  k.retry_count := 0;
  k.last_error := NULL;
  k.last_failed_at := NULL;
  k.park_reason := NULL;
  k.lease_id := NULL;
  k.fence := k.fence + 1;
  r := holdfast.stream_free_v1(v_now, true, k);
  PERFORM holdfast.stream_count_v1(k.queue_id, 'C', k.sub_id, k.committed - v_before + r.moved, true);
  RETURN 'ok';
END
$$;

-- Whether a cursor is held under this lease and fence; if so, nobody takes it before the transaction ends.
CREATE FUNCTION holdfast.stream_holds_v1(
  p_now timestamptz, p_queue integer, p_tag integer, p_partition bigint, p_group text, p_lease uuid, p_fence bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  k holdfast.stream_cursor;
BEGIN
  SELECT c.* INTO k
    FROM holdfast.stream_queue AS q
    JOIN holdfast.stream_subscription AS s ON s.queue_id = q.id AND s.name = p_group
    JOIN holdfast.stream_cursor AS c ON c.queue_id = q.id AND c.partition_id = p_partition AND c.sub_id = s.id
   WHERE q.id = p_queue AND q.tag = p_tag AND q.deleted_at IS NULL
     FOR NO KEY UPDATE OF c;
  RETURN FOUND AND coalesce(k.lease_id = p_lease AND k.fence = p_fence AND k.leased_at IS NOT NULL
                            AND k.ready_at > coalesce(p_now, clock_timestamp()), false);
END
$$;
