-- held -> held until now + ttl, for the holder while it is live. The new expiry replaces the old one.
CREATE FUNCTION {extend}(
  p_lock_id text, p_ttl_ms bigint, p_lock_timeout_ms integer, p_now_ms bigint,
  OUT status text, OUT until_ms bigint)
LANGUAGE plpgsql VOLATILE SECURITY INVOKER AS $$
DECLARE
  held_key text;
  held_id text;
  held_until bigint;
  at_ms bigint;
  outer_timeout text;
BEGIN
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
    IF held_until <= at_ms - 1000 THEN
      status := 'expired';
    ELSIF at_ms + p_ttl_ms > 9007199254740991 THEN
      status := 'overflow';
    ELSE
      status := 'extended';
      until_ms := at_ms + p_ttl_ms;
      UPDATE {locks} AS l SET expires_at_ms = until_ms
       WHERE l.key = held_key AND l.lock_id = p_lock_id;
    END IF;
  END IF;
  PERFORM set_config('lock_timeout', outer_timeout, true);
END
$$;
