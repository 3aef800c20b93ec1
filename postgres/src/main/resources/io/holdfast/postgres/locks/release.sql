-- held -> free, for the holder while it is live. The row is read by id without a lock to learn its key,
-- then deleted by both under the lock: between the two the lease may have ended and another begun.
CREATE FUNCTION {release}(
  p_lock_id text, p_async boolean, p_lock_timeout_ms integer, p_now_ms bigint,
  OUT status text, OUT known_key text, OUT wake boolean)
LANGUAGE plpgsql VOLATILE SECURITY INVOKER AS $$
DECLARE
  held_key text;
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
  IF p_async THEN
    PERFORM set_config('synchronous_commit', 'off', true);
  END IF;
  -- The clock is read when the row is, and again if the row had to be waited for.
  DELETE FROM {locks} AS l
   WHERE l.key = held_key AND l.lock_id = p_lock_id AND l.expires_at_ms > {now} - 1000;
  IF FOUND THEN
    status := 'released';
    known_key := held_key;
    wake := EXISTS (SELECT FROM holdfast.lock_waiters AS w
                     WHERE w.pair = {pair} AND w.key = held_key AND w.expires_at_ms > {now});
  ELSIF EXISTS (SELECT FROM {locks} AS l WHERE l.key = held_key AND l.lock_id = p_lock_id) THEN
    status := 'expired';
    known_key := held_key;
  END IF;
  PERFORM set_config('lock_timeout', outer_timeout, true);
END
$$;
