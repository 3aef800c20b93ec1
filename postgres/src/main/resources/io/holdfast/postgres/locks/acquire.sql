-- free -> held. Several statements on purpose: under READ COMMITTED each sees what was committed before
-- it started, so what is read after the lock was waited for is the truth. One statement would decide on a
-- snapshot from before the wait. Lock order everywhere: advisory, lock row, counter.
CREATE FUNCTION {acquire}(
  p_key text, p_fence_key text, p_lock_id text, p_ttl_ms bigint,
  p_waiter_id text, p_fair boolean, p_waiter_ttl_ms bigint,
  p_lock_timeout_ms integer, p_now_ms bigint,
  OUT status text, OUT granted_fence text, OUT until_ms bigint, OUT since_ms bigint,
  OUT left_ms bigint, OUT retry_ms bigint)
LANGUAGE plpgsql VOLATILE SECURITY INVOKER AS $$
DECLARE
  held_id text;
  held_fence text;
  held_until bigint;
  held_since bigint;
  at_ms bigint;
  ticket_no bigint;
  next_fence bigint;
  outer_timeout text;
BEGIN
  -- An unlocked look answers most refusals without a lock, a transaction id or a write. It may only ever
  -- refuse. Callers that wait skip it: their refusal has to leave a ticket.
  IF p_waiter_id IS NULL THEN
    SELECT l.lock_id, l.expires_at_ms INTO held_id, held_until FROM {locks} AS l WHERE l.key = p_key;
    at_ms := {now};
    IF held_id <> p_lock_id AND held_until > at_ms - 1000 THEN
      status := 'locked';
      retry_ms := held_until + 1000 - at_ms;
      RETURN;
    END IF;
  END IF;

  outer_timeout := current_setting('lock_timeout');
  PERFORM set_config('lock_timeout', p_lock_timeout_ms::text, true);
  PERFORM pg_advisory_xact_lock(hashtext(p_key));
  SELECT l.lock_id, l.expires_at_ms, l.acquired_at_ms, l.fence
    INTO held_id, held_until, held_since, held_fence
    FROM {locks} AS l WHERE l.key = p_key FOR UPDATE;
  at_ms := {now};

  IF held_until > at_ms - 1000 THEN
    IF held_id = p_lock_id THEN
      status := 'granted';
      granted_fence := held_fence;
      until_ms := held_until;
      since_ms := held_since;
    ELSE
      status := 'locked';
      retry_ms := held_until + 1000 - at_ms;
    END IF;
  ELSIF p_fair THEN
    SELECT w.ticket INTO ticket_no FROM holdfast.lock_waiters AS w
     WHERE w.pair = {pair} AND w.key = p_key AND w.waiter_id = p_waiter_id;
    IF EXISTS (SELECT FROM holdfast.lock_waiters AS w
                WHERE w.pair = {pair} AND w.key = p_key AND w.fair AND w.expires_at_ms > at_ms
                  AND (ticket_no IS NULL OR w.ticket < ticket_no)) THEN
      status := 'locked';
      retry_ms := p_waiter_ttl_ms / 3;
    END IF;
  END IF;

  IF status IS NULL THEN
    IF at_ms + p_ttl_ms > 9007199254740991 THEN
      status := 'overflow';
    ELSE
      -- A commit lost in a crash would issue this fence twice.
      IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
      END IF;
      INSERT INTO {counters} AS c (fence_key, fence, key_debug) VALUES (p_fence_key, 1, p_key)
        ON CONFLICT (fence_key) DO UPDATE SET fence = c.fence + 1
        WHERE c.fence >= 0 AND c.fence < 900000000000000
        RETURNING c.fence INTO next_fence;
      IF next_fence IS NULL THEN
        status := 'exhausted';
      ELSE
        status := 'granted';
        granted_fence := lpad(next_fence::text, 15, '0');
        until_ms := at_ms + p_ttl_ms;
        since_ms := at_ms;
        INSERT INTO {locks} AS l (key, lock_id, expires_at_ms, acquired_at_ms, fence, user_key)
        VALUES (p_key, p_lock_id, until_ms, since_ms, granted_fence, p_key)
        ON CONFLICT (key) DO UPDATE
          SET lock_id = excluded.lock_id, expires_at_ms = excluded.expires_at_ms,
              acquired_at_ms = excluded.acquired_at_ms, fence = excluded.fence,
              user_key = excluded.user_key;
      END IF;
    END IF;
  END IF;

  left_ms := until_ms - at_ms;
  IF p_waiter_id IS NOT NULL AND status = 'granted' THEN
    DELETE FROM holdfast.lock_waiters AS w
     WHERE w.pair = {pair} AND w.key = p_key AND w.waiter_id = p_waiter_id;
  ELSIF p_waiter_id IS NOT NULL AND status = 'locked' THEN
    INSERT INTO holdfast.lock_waiters AS w (pair, key, waiter_id, fair, expires_at_ms)
    VALUES ({pair}, p_key, p_waiter_id, p_fair, at_ms + p_waiter_ttl_ms)
    ON CONFLICT (pair, key, waiter_id) DO UPDATE
      SET fair = excluded.fair, expires_at_ms = excluded.expires_at_ms;
  END IF;
  PERFORM set_config('lock_timeout', outer_timeout, true);
END
$$;
