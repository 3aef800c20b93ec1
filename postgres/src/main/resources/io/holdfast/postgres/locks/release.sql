-- held -> free, for the holder while it is live. The row is read by id without a lock to learn its key,
-- then again by key under the locks: between the two the lease may have ended and another begun.
CREATE FUNCTION {release}(
  p_lock_id text, p_async boolean, p_lock_timeout_ms integer, p_now_ms bigint,
  OUT status text, OUT known_key text, OUT wake boolean)
LANGUAGE plpgsql VOLATILE SECURITY INVOKER AS $$
DECLARE
  held_key text;
  held_id text;
  held_until bigint;
  at_ms bigint;
  outer_timeout text;
BEGIN
  wake := false;
  status := 'not_found';
  SELECT l.key INTO held_key FROM {locks} AS l WHERE l.lock_id = p_lock_id;
  IF held_key IS NULL THEN
    RETURN;
  END IF;

  outer_timeout := current_setting('lock_timeout');
  PERFORM set_config('lock_timeout', p_lock_timeout_ms::text, true);
  PERFORM pg_advisory_xact_lock(hashtext(held_key));
  SELECT l.lock_id, l.expires_at_ms INTO held_id, held_until
    FROM {locks} AS l WHERE l.key = held_key FOR UPDATE;
  at_ms := {now};

  IF held_id = p_lock_id THEN
    known_key := held_key;
    IF held_until > at_ms - 1000 THEN
      status := 'released';
      IF p_async THEN
        PERFORM set_config('synchronous_commit', 'off', true);
      END IF;
      DELETE FROM {locks} AS l WHERE l.key = held_key AND l.lock_id = p_lock_id;
      wake := EXISTS (SELECT FROM holdfast.lock_waiters AS w
                       WHERE w.pair = {pair} AND w.key = held_key AND w.expires_at_ms > at_ms);
    ELSE
      status := 'expired';
    END IF;
  END IF;
  PERFORM set_config('lock_timeout', outer_timeout, true);
END
$$;
