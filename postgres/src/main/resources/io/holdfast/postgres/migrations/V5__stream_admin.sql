-- Streams for operators and for the background: what moves, drops and removes, and how it goes.

-- Notes are found by their trace when they are removed; their names come back in the order they were given.
ALTER TABLE holdfast.stream_trace_name ADD COLUMN place integer NOT NULL DEFAULT 0;
CREATE INDEX stream_trace_name_trace ON holdfast.stream_trace_name (queue_id, trace_id);

-- Whether this transaction alone does background work on a queue. The table's number stands for the schema.
CREATE FUNCTION holdfast.stream_alone_v1(p_queue integer) RETURNS boolean
LANGUAGE sql VOLATILE AS $$
  SELECT pg_try_advisory_xact_lock(
           1215261797, hashtext(format('%s/%s', 'holdfast.stream_queue'::regclass::oid, p_queue)))
$$;

-- What the groups of a queue have before them, and whether they still hold back anything.
CREATE FUNCTION holdfast.stream_lags_v1(p_now timestamptz, p_queue integer)
RETURNS TABLE (sub_id bigint, lag bigint, is_active boolean)
LANGUAGE sql STABLE AS $$
  SELECT s.id,
         (SELECT coalesce(sum(CASE c.kind WHEN 'P' THEN c.n ELSE -c.n END), 0)::bigint
            FROM holdfast.stream_counter AS c
           WHERE c.queue_id = p_queue AND (c.kind = 'P' OR (c.kind = 'C' AND c.sub_id = s.id))),
         q.abandoned_group_seconds = 0
           OR s.last_seen_at > coalesce(p_now, clock_timestamp()) - q.abandoned_group_seconds * interval '1 second'
    FROM holdfast.stream_queue AS q
    JOIN holdfast.stream_subscription AS s ON s.queue_id = q.id AND s.name IS NOT NULL
   WHERE q.id = p_queue
$$;

-- The partition of this name, made if missing, with a cursor for every group. The queue's lock keeps groups
-- from registering meanwhile; the statements behind it see all that did before.
CREATE FUNCTION holdfast.stream_make_partition_v1(p_now timestamptz, p_queue integer, p_name text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz;
  made bigint;
BEGIN
  LOOP
    SELECT p.id INTO made FROM holdfast.stream_partition AS p WHERE p.queue_id = p_queue AND p.name = p_name;
    IF FOUND THEN
      RETURN made;
    END IF;
    PERFORM FROM holdfast.stream_queue AS q WHERE q.id = p_queue FOR KEY SHARE;
    PERFORM holdfast.pause_point('partition:shared');
    v_now := coalesce(p_now, clock_timestamp());
    UPDATE holdfast.stream_queue AS q SET next_id = q.next_id + 1 WHERE q.id = p_queue RETURNING q.next_id - 1 INTO made;
    INSERT INTO holdfast.stream_partition (queue_id, id, name, created_at) VALUES (p_queue, made, p_name, v_now)
    ON CONFLICT (queue_id, name) DO NOTHING;
    IF FOUND THEN
      INSERT INTO holdfast.stream_cursor (queue_id, partition_id, sub_id, committed, fence)
      SELECT p_queue, made, s.id, 0, holdfast.stream_micros_v1(v_now)
        FROM holdfast.stream_subscription AS s WHERE s.queue_id = p_queue AND s.name IS NOT NULL;
      RETURN made;
    END IF;
  END LOOP;
END
$$;

-- Moves a dead letter to the end of a partition, once: whoever comes second finds it gone. outcome is MOVED,
-- GONE or FULL. The target queue exists; p_target is null for the letter's own.
CREATE FUNCTION holdfast.stream_redrive_v1(
  p_now timestamptz, p_queue integer, p_id uuid, p_all boolean, p_target text, p_partition text,
  p_payload bytea, p_encrypted boolean, OUT outcome text, OUT message_id uuid)
LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz;
  letter record;
  target record;
  part record;
  place bigint;
  only_for bigint;
  at timestamptz;
BEGIN
  outcome := 'GONE';
  SELECT d.partition, d.sub_id, d.trace_id, d.payload, d.encrypted, d.producer_sub INTO letter
    FROM holdfast.stream_dead AS d
    JOIN holdfast.stream_queue AS q ON q.id = d.queue_id AND q.deleted_at IS NULL
   WHERE d.queue_id = p_queue AND d.id = p_id FOR UPDATE OF d;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT q.id, q.max_queue_size, q.delayed_processing, q.window_buffer INTO target FROM holdfast.stream_queue AS q
   WHERE q.deleted_at IS NULL AND CASE WHEN p_target IS NULL THEN q.id = p_queue ELSE q.name = p_target END;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF target.max_queue_size > 0
     AND holdfast.stream_depth_of_v1(coalesce(p_now, clock_timestamp()), target.id) + 1 > target.max_queue_size THEN
    outcome := 'FULL';
    RETURN;
  END IF;
  LOOP
    place := holdfast.stream_make_partition_v1(p_now, target.id, coalesce(p_partition, letter.partition));
    SELECT p.last_offset, p.last_at INTO part FROM holdfast.stream_partition AS p
     WHERE p.queue_id = target.id AND p.id = place FOR NO KEY UPDATE;
    EXIT WHEN FOUND;
  END LOOP;
  PERFORM holdfast.pause_point('redrive:locked');
  v_now := coalesce(p_now, clock_timestamp());
  IF target.max_queue_size > 0 THEN
    INSERT INTO holdfast.stream_counter AS c (queue_id, kind, sub_id, stripe, n) VALUES (target.id, 'P', 0, 0, 0)
    ON CONFLICT (queue_id, kind, sub_id, stripe) DO UPDATE SET n = c.n;
    IF holdfast.stream_depth_of_v1(v_now, target.id) + 1 > target.max_queue_size THEN
      outcome := 'FULL';
      RETURN;
    END IF;
  END IF;
  IF target.id = p_queue AND NOT p_all THEN
    SELECT s.id INTO only_for FROM holdfast.stream_subscription AS s
     WHERE s.queue_id = p_queue AND s.id = letter.sub_id AND s.name IS NOT NULL;
  END IF;
  at := greatest(v_now, part.last_at + interval '1 microsecond');
  message_id := holdfast.stream_message_id_v1(at, 0);
  DELETE FROM holdfast.stream_dead AS d WHERE d.queue_id = p_queue AND d.id = p_id;
  INSERT INTO holdfast.stream_message
        (queue_id, partition_id, off, id, transaction_id, trace_id, payload, encrypted, producer_sub, only_sub, created_at)
  VALUES (target.id, place, part.last_offset + 1, message_id, 'redrive:' || p_id::text, letter.trace_id,
          coalesce(p_payload, letter.payload), CASE WHEN p_payload IS NULL THEN letter.encrypted ELSE p_encrypted END,
          letter.producer_sub, only_for, at);
  UPDATE holdfast.stream_partition AS p
     SET last_offset = part.last_offset + 1, last_at = at, oldest_at = coalesce(p.oldest_at, at)
   WHERE p.queue_id = target.id AND p.id = place;
  UPDATE holdfast.stream_cursor AS c
     SET ready_at = holdfast.stream_due_v1(v_now, at, at, target.delayed_processing, target.window_buffer)
   WHERE c.queue_id = target.id AND c.partition_id = place AND c.ready_at IS NULL
     AND (only_for IS NULL OR c.sub_id = only_for);
  PERFORM holdfast.stream_count_v1(target.id, 'P', 0, 1, true);
  outcome := 'MOVED';
END
$$;

-- Brings cursors forward that wait for a delay or a window which has become shorter: the next pop looks again
-- how long they have to wait. A retry still waits for its own delay. Locked by partition and group, as everywhere.
CREATE FUNCTION holdfast.stream_hasten_v1(p_now timestamptz, p_queue integer, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  hastened integer;
BEGIN
  WITH waiting AS MATERIALIZED (
    SELECT c.partition_id, c.sub_id, w.until
      FROM holdfast.stream_queue AS q
      JOIN holdfast.stream_subscription AS s ON s.queue_id = q.id AND s.name IS NOT NULL
      JOIN holdfast.stream_cursor AS c ON c.queue_id = s.queue_id AND c.sub_id = s.id
     CROSS JOIN LATERAL (
            SELECT greatest(v_now, CASE WHEN c.retry_count > 0 THEN
                                          c.last_failed_at + q.retry_delay_ms * interval '1 millisecond' END) AS until) AS w
     WHERE q.id = p_queue
       AND c.ready_at > v_now AND c.ready_at < 'infinity' AND c.ready_at > w.until AND c.leased_at IS NULL
     ORDER BY c.partition_id, c.sub_id
     LIMIT p_limit FOR UPDATE OF c)
  UPDATE holdfast.stream_cursor AS c SET ready_at = w.until
    FROM waiting AS w
   WHERE c.queue_id = p_queue AND c.partition_id = w.partition_id AND c.sub_id = w.sub_id;
  GET DIAGNOSTICS hastened = ROW_COUNT;
  RETURN hastened;
END
$$;

-- Puts cursors of a group behind p_after, in order of their partitions. Where nothing follows, "nothing
-- pending" is said under the partition's lock only.
CREATE FUNCTION holdfast.stream_seek_v1(
  p_now timestamptz, p_queue integer, p_sub bigint, p_partition bigint, p_after bigint,
  p_kind text, p_at timestamptz, p_offset bigint, p_limit integer, OUT moved integer, OUT last bigint)
LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz;
  ids bigint[];
  spot record;
  rest record;
  target bigint;
  difference bigint := 0;
BEGIN
  ids := ARRAY(SELECT c.partition_id FROM holdfast.stream_cursor AS c
                WHERE c.queue_id = p_queue AND c.sub_id = p_sub AND c.partition_id > p_after
                  AND (p_partition IS NULL OR c.partition_id = p_partition)
                ORDER BY c.partition_id LIMIT p_limit FOR UPDATE);
  PERFORM holdfast.pause_point('seek:locked');
  v_now := coalesce(p_now, clock_timestamp());
  DELETE FROM holdfast.stream_mark
   WHERE queue_id = p_queue AND partition_id = ANY (ids) AND sub_id = p_sub;
  FOR spot IN
    SELECT c.partition_id, c.committed, p.log_start, p.last_offset
      FROM holdfast.stream_cursor AS c
      JOIN holdfast.stream_partition AS p ON p.queue_id = c.queue_id AND p.id = c.partition_id
     WHERE c.queue_id = p_queue AND c.partition_id = ANY (ids) AND c.sub_id = p_sub
     ORDER BY c.partition_id
  LOOP
    target := greatest(spot.log_start - 1, least(spot.last_offset, CASE p_kind
      WHEN 'BEGIN' THEN 0
      WHEN 'END' THEN spot.last_offset
      WHEN 'OFFSET' THEN p_offset - 1
      ELSE holdfast.stream_offset_at_v1(p_queue, spot.partition_id, p_at) END));
    rest := holdfast.stream_rest_v1(v_now, p_queue, spot.partition_id, p_sub, target, 0, v_now, true);
    PERFORM holdfast.pause_point('seek:write');
    UPDATE holdfast.stream_cursor
       SET committed = target, batch_end = target, batch_count = 0, lease_id = NULL, leased_at = NULL,
           fence = fence + 1, ready_at = rest.ready_at, attempt = 0, expiries = 0, retry_count = 0, marks = 0,
           last_error = NULL, last_failed_at = NULL, park_reason = NULL
     WHERE queue_id = p_queue AND partition_id = spot.partition_id AND sub_id = p_sub;
    difference := difference + target - spot.committed;
  END LOOP;
  PERFORM holdfast.stream_count_v1(p_queue, 'C', p_sub, difference, true);
  moved := cardinality(ids);
  last := ids[moved];
END
$$;

-- Takes the name from a group: under the queue's lock, so that whoever makes a partition at the same time
-- knows either the old group or the new one. Answers the number of the old one, whose cursors go later.
CREATE FUNCTION holdfast.stream_forget_v1(p_now timestamptz, p_queue integer, p_group text, p_keep boolean)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  old record;
  fresh bigint;
BEGIN
  PERFORM FROM holdfast.stream_queue WHERE id = p_queue FOR UPDATE;
  PERFORM holdfast.pause_point('forget:locked');
  UPDATE holdfast.stream_subscription SET name = NULL
   WHERE queue_id = p_queue AND name = p_group
  RETURNING id, mode, from_at, last_seen_at, created_at INTO old;
  IF FOUND AND p_keep THEN
    UPDATE holdfast.stream_queue SET next_id = next_id + 1 WHERE id = p_queue RETURNING next_id - 1 INTO fresh;
    INSERT INTO holdfast.stream_subscription (queue_id, id, name, mode, from_at, last_seen_at, created_at)
    VALUES (p_queue, fresh, p_group, old.mode, old.from_at, old.last_seen_at, old.created_at);
  END IF;
  RETURN old.id;
END
$$;

-- Removes cursors of a group without a name, and with the last of them the group.
CREATE FUNCTION holdfast.stream_purge_group_v1(
  p_queue integer, p_sub bigint, p_after bigint, p_limit integer, OUT removed integer, OUT last bigint)
LANGUAGE plpgsql AS $$
DECLARE
  ids bigint[];
BEGIN
  ids := ARRAY(SELECT c.partition_id FROM holdfast.stream_cursor AS c
                WHERE c.queue_id = p_queue AND c.sub_id = p_sub AND c.partition_id > p_after
                ORDER BY c.partition_id LIMIT p_limit FOR UPDATE);
  PERFORM holdfast.pause_point('forget:purge');
  DELETE FROM holdfast.stream_mark
   WHERE queue_id = p_queue AND partition_id = ANY (ids) AND sub_id = p_sub;
  DELETE FROM holdfast.stream_cursor
   WHERE queue_id = p_queue AND partition_id = ANY (ids) AND sub_id = p_sub;
  GET DIAGNOSTICS removed = ROW_COUNT;
  last := ids[cardinality(ids)];
  IF cardinality(ids) < p_limit THEN
    PERFORM FROM holdfast.stream_subscription
      WHERE queue_id = p_queue AND id = p_sub AND name IS NULL FOR UPDATE;
    IF FOUND AND NOT EXISTS (
         SELECT FROM holdfast.stream_cursor WHERE queue_id = p_queue AND sub_id = p_sub) THEN
      DELETE FROM holdfast.stream_counter WHERE queue_id = p_queue AND kind IN ('C', 'W', 'L') AND sub_id = p_sub;
      DELETE FROM holdfast.stream_subscription WHERE queue_id = p_queue AND id = p_sub;
    END IF;
  END IF;
END
$$;

-- Drops what is old enough from the start of a partition, at most p_limit rows; answers how many.
--
-- Three ends are found by age and held back by groups: what every active group has passed, what is too old
-- whoever read it, what nobody wants any more after such a wait. Only cursors before those ends matter;
-- they are locked. One that somebody else has locked is in use: it holds back like one in retry, so
-- that no batch is dropped under its consumer, and no producer waits for us while we wait.
CREATE FUNCTION holdfast.stream_retain_v1(p_now timestamptz, p_queue integer, p_partition bigint, p_limit integer)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz;
  queue record;
  part record;
  spot record;
  rest record;
  unread record;
  gone record;
  done_to bigint := 0;
  age_to bigint := 0;
  wait_to bigint := 0;
  aged bigint;
  cap bigint;
  locked bigint[];
  passed bigint;
  passed_by_all bigint;
  held bigint;
  through bigint;
  next_at timestamptz;
  marked integer;
  is_moved boolean;
  target bigint;
  lost_done bigint := 0;
  lost_age bigint := 0;
  lost_wait bigint := 0;
BEGIN
  IF NOT holdfast.stream_alone_v1(p_queue) THEN
    RETURN 0;
  END IF;
  SELECT q.retention_enabled, q.retention_seconds, q.completed_retention_seconds, q.max_wait_time_seconds,
         q.max_wait_action, q.abandoned_group_seconds
    INTO queue FROM holdfast.stream_queue AS q WHERE q.id = p_queue AND q.deleted_at IS NULL;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  SELECT p.name, p.log_start, p.last_offset, p.oldest_at INTO part FROM holdfast.stream_partition AS p
   WHERE p.queue_id = p_queue AND p.id = p_partition FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  PERFORM holdfast.pause_point('retain:locked');
  v_now := coalesce(p_now, clock_timestamp());

  IF queue.retention_enabled AND queue.completed_retention_seconds > 0 THEN
    done_to := holdfast.stream_offset_at_v1(
      p_queue, p_partition, v_now - queue.completed_retention_seconds * interval '1 second');
  END IF;
  IF queue.retention_enabled AND queue.retention_seconds > 0 THEN
    age_to := holdfast.stream_offset_at_v1(
      p_queue, p_partition, v_now - queue.retention_seconds * interval '1 second');
  END IF;
  IF queue.max_wait_time_seconds > 0 THEN
    wait_to := holdfast.stream_offset_at_v1(
      p_queue, p_partition, v_now - queue.max_wait_time_seconds * interval '1 second');
  END IF;
  SELECT max(m.off) INTO cap FROM (
    SELECT off FROM holdfast.stream_message
     WHERE queue_id = p_queue AND partition_id = p_partition AND off >= part.log_start
     ORDER BY off LIMIT p_limit) AS m;
  aged := least(greatest(done_to, age_to, wait_to), coalesce(cap, 0));

  locked := ARRAY(SELECT c.sub_id FROM holdfast.stream_cursor AS c
                   WHERE c.queue_id = p_queue AND c.partition_id = p_partition AND c.committed < aged
                   ORDER BY c.sub_id FOR UPDATE SKIP LOCKED);
  PERFORM holdfast.pause_point('retain:cursors');
  SELECT min(g.at) FILTER (WHERE g.holds OR g.is_unseeded), min(g.at),
         min(g.at) FILTER (WHERE g.holds AND g.is_given)
    INTO passed, passed_by_all, held
    FROM (SELECT coalesce(c.committed, part.log_start - 1) AS at, c.sub_id IS NULL AS is_unseeded,
                 queue.abandoned_group_seconds = 0
                   OR s.last_seen_at > v_now - queue.abandoned_group_seconds * interval '1 second'
                   OR (c.committed < aged AND c.sub_id <> ALL (locked)) AS holds,
                 coalesce(c.attempt > 0 OR c.retry_count > 0 OR (c.leased_at IS NOT NULL AND c.ready_at > v_now)
                            OR (c.committed < aged AND c.sub_id <> ALL (locked)), false) AS is_given
            FROM holdfast.stream_subscription AS s
            LEFT JOIN holdfast.stream_cursor AS c
              ON c.queue_id = p_queue AND c.partition_id = p_partition AND c.sub_id = s.id
           WHERE s.queue_id = p_queue AND s.name IS NOT NULL) AS g;
  passed := coalesce(passed, part.log_start - 1);
  passed_by_all := coalesce(passed_by_all, part.log_start - 1);
  held := coalesce(held, part.last_offset);
  done_to := least(done_to, passed, cap);
  age_to := greatest(done_to, least(age_to, held, cap));
  wait_to := greatest(age_to, least(
    wait_to, held, cap, CASE WHEN queue.max_wait_action = 'deadLetter' THEN passed_by_all END));
  SELECT max(m.off) INTO through FROM holdfast.stream_message AS m
   WHERE m.queue_id = p_queue AND m.partition_id = p_partition AND m.off >= part.log_start AND m.off <= wait_to;
  through := coalesce(through, part.log_start - 1);

  FOR spot IN
    SELECT c.sub_id, c.committed, c.marks, c.ready_at, c.leased_at
      FROM holdfast.stream_cursor AS c
      JOIN holdfast.stream_subscription AS s ON s.queue_id = c.queue_id AND s.id = c.sub_id AND s.name IS NOT NULL
     WHERE c.queue_id = p_queue AND c.partition_id = p_partition AND c.sub_id = ANY (locked) AND c.committed < through
     ORDER BY c.sub_id
  LOOP
    SELECT count(*) FILTER (WHERE m.off <= done_to) AS done,
           count(*) FILTER (WHERE m.off > done_to AND m.off <= age_to) AS age,
           count(*) FILTER (WHERE m.off > age_to) AS wait
      INTO unread FROM holdfast.stream_message AS m
     WHERE m.queue_id = p_queue AND m.partition_id = p_partition AND m.off > spot.committed AND m.off <= through
       AND (m.only_sub IS NULL OR m.only_sub = spot.sub_id)
       AND (spot.marks = 0 OR NOT EXISTS (
             SELECT FROM holdfast.stream_mark AS k
              WHERE k.queue_id = p_queue AND k.partition_id = p_partition AND k.sub_id = spot.sub_id
                AND k.off = m.off AND k.kind = 'd'));
    lost_done := lost_done + unread.done;
    lost_age := lost_age + unread.age;
    lost_wait := lost_wait + unread.wait;
    is_moved := unread.done + unread.age + unread.wait > 0;
    marked := 0;
    IF spot.marks > 0 THEN
      DELETE FROM holdfast.stream_mark
       WHERE queue_id = p_queue AND partition_id = p_partition AND sub_id = spot.sub_id
         AND (off <= through OR (is_moved AND spot.leased_at IS NOT NULL AND kind <> 'd'));
      GET DIAGNOSTICS marked = ROW_COUNT;
    END IF;
    target := through;
    IF is_moved THEN
      -- Its head is gone, and with it whatever was about that head.
      rest := holdfast.stream_rest_v1(
        v_now, p_queue, p_partition, spot.sub_id, through, greatest(spot.marks - marked, 0), v_now, true);
      IF spot.ready_at <> 'infinity' THEN
        target := rest.committed;
      END IF;
      UPDATE holdfast.stream_cursor
         SET ready_at = CASE WHEN ready_at = 'infinity' THEN ready_at ELSE rest.ready_at END,
             lease_id = CASE WHEN leased_at IS NULL THEN lease_id END,
             fence = fence + CASE WHEN leased_at IS NULL THEN 0 ELSE 1 END,
             batch_count = CASE WHEN leased_at IS NULL THEN batch_count ELSE 0 END,
             leased_at = NULL, attempt = 0, expiries = 0, retry_count = 0
       WHERE queue_id = p_queue AND partition_id = p_partition AND sub_id = spot.sub_id;
    END IF;
    IF target > through AND spot.marks > marked THEN
      DELETE FROM holdfast.stream_mark
       WHERE queue_id = p_queue AND partition_id = p_partition AND sub_id = spot.sub_id AND off <= target;
      marked := spot.marks;
    END IF;
    UPDATE holdfast.stream_cursor SET committed = target, marks = greatest(marks - marked, 0)
     WHERE queue_id = p_queue AND partition_id = p_partition AND sub_id = spot.sub_id;
    PERFORM holdfast.stream_count_v1(p_queue, 'C', spot.sub_id, target - spot.committed, true);
    PERFORM holdfast.stream_count_v1(p_queue, 'L', spot.sub_id, unread.done + unread.age, true);
    PERFORM holdfast.stream_count_v1(p_queue, 'W', spot.sub_id, unread.wait, true);
  END LOOP;

  WITH dropped AS (
    DELETE FROM holdfast.stream_message AS m
     WHERE m.queue_id = p_queue AND m.partition_id = p_partition AND m.off >= part.log_start AND m.off <= through
    RETURNING m.off)
  SELECT count(*)::integer AS rows,
         count(*) FILTER (WHERE off <= done_to) AS done, max(off) FILTER (WHERE off <= done_to) AS done_off,
         count(*) FILTER (WHERE off > done_to AND off <= age_to) AS age,
         max(off) FILTER (WHERE off > done_to AND off <= age_to) AS age_off,
         count(*) FILTER (WHERE off > age_to) AS wait, max(off) FILTER (WHERE off > age_to) AS wait_off
    INTO gone FROM dropped;
  INSERT INTO holdfast.stream_retention_log
        (queue_id, partition_id, partition, reason, messages, through_offset, lost, at)
  SELECT p_queue, p_partition, part.name, r.reason, r.messages, r.through, r.lost, v_now
    FROM (VALUES (1, 'completed', gone.done, gone.done_off, lost_done),
                 (2, 'age', gone.age, gone.age_off, lost_age),
                 (3, 'max_wait', gone.wait, gone.wait_off, lost_wait)) AS r (place, reason, messages, through, lost)
   WHERE r.messages > 0 ORDER BY r.place;
  SELECT m.created_at INTO next_at FROM holdfast.stream_message AS m
   WHERE m.queue_id = p_queue AND m.partition_id = p_partition AND m.off > through ORDER BY m.off LIMIT 1;
  IF gone.rows > 0 OR part.oldest_at IS DISTINCT FROM next_at THEN
    UPDATE holdfast.stream_partition SET log_start = through + 1, oldest_at = next_at
     WHERE queue_id = p_queue AND id = p_partition;
    PERFORM holdfast.stream_count_v1(p_queue, 'D', 0, through + 1 - part.log_start, true);
  END IF;
  RETURN gone.rows;
END
$$;

-- Adds rows that callers' transactions wrote apart to those of everybody; answers how many.
CREATE FUNCTION holdfast.stream_fold_v1(p_queue integer, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  total record;
  folded integer := 0;
BEGIN
  IF NOT holdfast.stream_alone_v1(p_queue) THEN
    RETURN 0;
  END IF;
  FOR total IN
    WITH apart AS MATERIALIZED (
      SELECT c.kind, c.sub_id, c.stripe FROM holdfast.stream_counter AS c
       WHERE c.queue_id = p_queue AND c.stripe > 0
       LIMIT p_limit FOR UPDATE SKIP LOCKED),
    gone AS (
      DELETE FROM holdfast.stream_counter AS c USING apart AS a
       WHERE c.queue_id = p_queue AND c.kind = a.kind AND c.sub_id = a.sub_id AND c.stripe = a.stripe
      RETURNING c.kind, c.sub_id, c.n)
    SELECT g.kind, g.sub_id, sum(g.n)::bigint AS n, count(*)::integer AS rows
      FROM gone AS g GROUP BY g.kind, g.sub_id ORDER BY g.kind, g.sub_id
  LOOP
    folded := folded + total.rows;
    IF total.sub_id = 0
       OR EXISTS (SELECT FROM holdfast.stream_subscription WHERE queue_id = p_queue AND id = total.sub_id) THEN
      PERFORM holdfast.stream_count_v1(p_queue, total.kind, total.sub_id, total.n, true);
    END IF;
  END LOOP;
  RETURN folded;
END
$$;

-- Counters of a queue that are not what they count; looks at queues of at most p_limit partitions. One
-- statement, so that sums and summands are of one moment.
CREATE FUNCTION holdfast.stream_drift_v1(p_queue integer, p_limit integer)
RETURNS TABLE (kind text, sub_id bigint, counted bigint, actual bigint)
LANGUAGE sql STABLE AS $$
  WITH counted AS (
    SELECT c.kind::text AS kind, c.sub_id, sum(c.n)::bigint AS n FROM holdfast.stream_counter AS c
     WHERE c.queue_id = p_queue AND c.kind IN ('P', 'D', 'C') GROUP BY c.kind, c.sub_id),
  actual AS (
    SELECT k.kind, 0::bigint AS sub_id, sum(CASE k.kind WHEN 'P' THEN p.last_offset ELSE p.log_start - 1 END)::bigint AS n
      FROM holdfast.stream_partition AS p, (VALUES ('P'), ('D')) AS k (kind)
     WHERE p.queue_id = p_queue GROUP BY k.kind
    UNION ALL
    SELECT 'C', c.sub_id, sum(c.committed)::bigint FROM holdfast.stream_cursor AS c
     WHERE c.queue_id = p_queue GROUP BY c.sub_id)
  SELECT coalesce(a.kind, c.kind), coalesce(a.sub_id, c.sub_id), coalesce(c.n, 0), coalesce(a.n, 0)
    FROM counted AS c FULL JOIN actual AS a ON a.kind = c.kind AND a.sub_id = c.sub_id
   WHERE coalesce(c.n, 0) <> coalesce(a.n, 0)
     AND (coalesce(a.kind, c.kind) <> 'C' OR EXISTS (
           SELECT FROM holdfast.stream_subscription AS s
            WHERE s.queue_id = p_queue AND s.id = coalesce(a.sub_id, c.sub_id) AND s.name IS NOT NULL))
     AND (SELECT count(*) FROM (SELECT FROM holdfast.stream_partition AS p
                                 WHERE p.queue_id = p_queue LIMIT p_limit + 1) AS few) <= p_limit
$$;

-- Removes rows of a deleted queue, at most p_limit per table, and at last the queue. Partitions go first:
-- without them nobody appends any more.
CREATE FUNCTION holdfast.stream_purge_queue_v1(p_queue integer, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  place text;
  rows integer;
  removed integer := 0;
BEGIN
  IF NOT holdfast.stream_alone_v1(p_queue) THEN
    RETURN 0;
  END IF;
  PERFORM FROM holdfast.stream_queue WHERE id = p_queue AND deleted_at IS NOT NULL FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  FOREACH place IN ARRAY ARRAY['stream_partition', 'stream_cursor', 'stream_message', 'stream_mark', 'stream_dead',
      'stream_trace', 'stream_trace_name', 'stream_retention_log', 'stream_subscription', 'stream_counter'] LOOP
    EXECUTE format('DELETE FROM holdfast.%I WHERE ctid = ANY (ARRAY('
                   || 'SELECT ctid FROM holdfast.%I WHERE queue_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED))', place, place)
      USING p_queue, p_limit;
    GET DIAGNOSTICS rows = ROW_COUNT;
    removed := removed + rows;
  END LOOP;
  IF removed = 0 AND NOT EXISTS (SELECT FROM holdfast.stream_partition WHERE queue_id = p_queue)
     AND NOT EXISTS (SELECT FROM holdfast.stream_cursor WHERE queue_id = p_queue) THEN
    DELETE FROM holdfast.stream_queue WHERE id = p_queue;
    removed := 1;
  END IF;
  RETURN removed;
END
$$;

-- Removes partitions behind p_after without a message that nobody pushed to since p_before. What somebody
-- has locked is in use. Looks at p_limit; answers how many went, and where to go on, null at the end.
CREATE FUNCTION holdfast.stream_purge_idle_v1(
  p_queue integer, p_before timestamptz, p_after bigint, p_limit integer, OUT removed integer, OUT last bigint)
LANGUAGE plpgsql AS $$
DECLARE
  part record;
  total record;
  locked bigint[];
  upto bigint;
  looked integer;
BEGIN
  removed := 0;
  IF NOT holdfast.stream_alone_v1(p_queue) THEN
    RETURN;
  END IF;
  SELECT max(few.id), count(*) INTO upto, looked FROM (
    SELECT p.id FROM holdfast.stream_partition AS p
     WHERE p.queue_id = p_queue AND p.id > p_after ORDER BY p.id LIMIT p_limit) AS few;
  IF looked = p_limit THEN
    last := upto;
  END IF;
  FOR part IN
    SELECT p.id, p.last_offset, p.log_start FROM holdfast.stream_partition AS p
     WHERE p.queue_id = p_queue AND p.id > p_after AND p.id <= upto
       AND coalesce(p.last_at, p.created_at) < p_before
       AND NOT EXISTS (SELECT FROM holdfast.stream_message AS m
                        WHERE m.queue_id = p_queue AND m.partition_id = p.id AND m.off >= p.log_start)
     ORDER BY p.id FOR UPDATE OF p SKIP LOCKED
  LOOP
    PERFORM holdfast.pause_point('idle:locked');
    -- Somebody may have pushed between the look and the lock.
    IF EXISTS (SELECT FROM holdfast.stream_message AS m
                WHERE m.queue_id = p_queue AND m.partition_id = part.id AND m.off >= part.log_start) THEN
      CONTINUE;
    END IF;
    locked := ARRAY(SELECT c.sub_id FROM holdfast.stream_cursor AS c
                     WHERE c.queue_id = p_queue AND c.partition_id = part.id
                     ORDER BY c.sub_id FOR UPDATE SKIP LOCKED);
    IF EXISTS (SELECT FROM holdfast.stream_cursor AS c
                WHERE c.queue_id = p_queue AND c.partition_id = part.id AND c.sub_id <> ALL (locked)) THEN
      CONTINUE;
    END IF;
    DELETE FROM holdfast.stream_mark WHERE queue_id = p_queue AND partition_id = part.id;
    FOR total IN
      DELETE FROM holdfast.stream_cursor AS c WHERE c.queue_id = p_queue AND c.partition_id = part.id
      RETURNING c.sub_id, c.committed
    LOOP
      PERFORM holdfast.stream_count_v1(p_queue, 'C', total.sub_id, -total.committed, true);
    END LOOP;
    DELETE FROM holdfast.stream_partition WHERE queue_id = p_queue AND id = part.id;
    PERFORM holdfast.stream_count_v1(p_queue, 'D', 0, 1 - part.log_start, true);
    PERFORM holdfast.stream_count_v1(p_queue, 'P', 0, -part.last_offset, true);
    removed := removed + 1;
  END LOOP;
END
$$;

-- What a message is to each group of its queue.
CREATE FUNCTION holdfast.stream_statuses_v1(
  p_now timestamptz, p_queue integer, p_partition bigint, p_off bigint, p_only bigint)
RETURNS TABLE (group_name text, status text)
LANGUAGE sql STABLE AS $$
  SELECT s.name::text,
         CASE WHEN EXISTS (SELECT FROM holdfast.stream_dead AS d
                            WHERE d.queue_id = p_queue AND d.partition_id = p_partition AND d.off = p_off
                              AND d.sub_id = s.id) THEN 'DEAD_LETTER'
              WHEN c.sub_id IS NULL THEN 'PENDING'
              WHEN p_only <> s.id OR p_off <= c.committed OR (c.marks > 0 AND EXISTS (
                     SELECT FROM holdfast.stream_mark AS k
                      WHERE k.queue_id = p_queue AND k.partition_id = p_partition AND k.sub_id = s.id
                        AND k.off = p_off AND k.kind = 'd')) THEN 'COMPLETED'
              WHEN c.leased_at IS NOT NULL AND c.ready_at > coalesce(p_now, clock_timestamp())
                   AND p_off <= c.batch_end THEN 'PROCESSING'
              ELSE 'PENDING' END
    FROM holdfast.stream_subscription AS s
    LEFT JOIN holdfast.stream_cursor AS c
      ON c.queue_id = p_queue AND c.partition_id = p_partition AND c.sub_id = s.id
   WHERE s.queue_id = p_queue AND s.name IS NOT NULL
$$;

-- Cursors with something pending, with names; of all queues if p_queue is null.
CREATE FUNCTION holdfast.stream_pending_cursors_v1(p_now timestamptz, p_queue integer)
RETURNS TABLE (queue_id integer, partition_id bigint, queue_name text, partition_name text, group_name text,
               lease_id uuid, fence bigint, leased_at timestamptz, ready_at timestamptz, batch_count integer,
               attempt integer, retry_count integer, error text, at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT c.queue_id, c.partition_id, q.name::text, p.name::text, s.name::text,
         c.lease_id, c.fence, c.leased_at, c.ready_at, c.batch_count,
         c.attempt, c.retry_count, coalesce(c.park_reason, c.last_error), n.at
    FROM (SELECT coalesce(p_now, clock_timestamp()) AS at) AS n
    CROSS JOIN holdfast.stream_queue AS q
    JOIN holdfast.stream_subscription AS s ON s.queue_id = q.id AND s.name IS NOT NULL
    JOIN holdfast.stream_cursor AS c ON c.queue_id = s.queue_id AND c.sub_id = s.id AND c.ready_at IS NOT NULL
    JOIN holdfast.stream_partition AS p ON p.queue_id = c.queue_id AND p.id = c.partition_id
   WHERE q.deleted_at IS NULL AND (p_queue IS NULL OR q.id = p_queue)
$$;

-- Cursors that somebody should look at; the first reason that applies.
CREATE FUNCTION holdfast.stream_stuck_v1(p_now timestamptz, p_queue integer)
RETURNS TABLE (queue_name text, partition_name text, group_name text, reason text,
               leased_at timestamptz, ready_at timestamptz, attempt integer, error text, at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT s.queue_name, s.partition_name, s.group_name, s.reason, s.leased_at, s.ready_at, s.attempt, s.error, s.at
    FROM (SELECT c.queue_name, c.partition_name, c.group_name, c.leased_at, c.ready_at, c.attempt, c.error, c.at,
                 CASE WHEN c.ready_at = 'infinity' THEN 'parked'
                      WHEN c.leased_at IS NOT NULL AND c.ready_at <= c.at THEN 'expired'
                      WHEN c.leased_at IS NOT NULL AND c.ready_at <= c.at + interval '30 seconds' THEN 'expiring'
                      WHEN c.leased_at IS NULL AND c.retry_count > 0 THEN 'retrying' END AS reason
            FROM holdfast.stream_pending_cursors_v1(p_now, p_queue) AS c) AS s
   WHERE s.reason IS NOT NULL
$$;

-- Partitions and how many of them are held, by queue.
CREATE FUNCTION holdfast.stream_utilization_v1(p_now timestamptz, p_queue integer)
RETURNS TABLE (queue_name text, partitions bigint, leased bigint)
LANGUAGE sql STABLE AS $$
  SELECT q.name::text,
         (SELECT count(*) FROM holdfast.stream_partition AS p WHERE p.queue_id = q.id),
         (SELECT count(DISTINCT c.partition_id)
            FROM holdfast.stream_pending_cursors_v1(p_now, q.id) AS c
           WHERE c.leased_at IS NOT NULL AND c.ready_at > c.at)
    FROM holdfast.stream_queue AS q
   WHERE q.deleted_at IS NULL AND (p_queue IS NULL OR q.id = p_queue)
$$;

CREATE VIEW holdfast.stream_active_leases AS
SELECT c.queue_name, c.partition_name, c.group_name AS consumer_group, c.lease_id,
       c.leased_at AS lease_started_at, c.ready_at AS lease_expires_at, c.batch_count AS message_count,
       extract(epoch FROM c.ready_at - c.at) AS seconds_remaining
  FROM holdfast.stream_pending_cursors_v1(NULL, NULL) AS c
 WHERE c.leased_at IS NOT NULL AND c.ready_at > c.at;

CREATE VIEW holdfast.stream_partition_utilization AS
SELECT u.queue_name, u.partitions AS total_partitions, u.leased AS leased_partitions,
       CASE WHEN u.partitions = 0 THEN 0 ELSE round(100.0 * u.leased / u.partitions, 2) END AS utilization_pct
  FROM holdfast.stream_utilization_v1(NULL, NULL) AS u;

CREATE VIEW holdfast.stream_stuck_partitions AS
SELECT s.queue_name, s.partition_name, s.group_name AS consumer_group, s.leased_at AS lease_started_at,
       CASE WHEN s.leased_at IS NOT NULL THEN s.ready_at END AS lease_expires_at,
       extract(epoch FROM s.at - s.leased_at) AS lease_held_seconds, s.attempt, s.reason
  FROM holdfast.stream_stuck_v1(NULL, NULL) AS s;

-- The last of all: where it is, everything is.
CREATE VIEW holdfast.stream_queue_depths AS
SELECT q.name AS queue_name, d.depth AS current_depth, q.max_queue_size,
       CASE WHEN q.max_queue_size > 0 THEN greatest(q.max_queue_size - d.depth, 0) END AS remaining_capacity
  FROM holdfast.stream_queue AS q
 CROSS JOIN LATERAL (SELECT holdfast.stream_depth_of_v1(clock_timestamp(), q.id) AS depth) AS d
 WHERE q.deleted_at IS NULL;
