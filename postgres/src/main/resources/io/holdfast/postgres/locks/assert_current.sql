-- Holds off the next grant of a key until this transaction ends, or fails it if that grant was made: every
-- acquire updates the counter row that is shared here.
CREATE FUNCTION {assert_current}(
  p_fence_key text, p_fence bigint, p_lock_timeout_ms integer) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER AS $$
DECLARE
  current_fence bigint;
  outer_timeout text := current_setting('lock_timeout');
BEGIN
  PERFORM set_config('lock_timeout', p_lock_timeout_ms::text, true);
  SELECT c.fence INTO current_fence FROM {counters} AS c WHERE c.fence_key = p_fence_key FOR SHARE;
  IF current_fence IS DISTINCT FROM p_fence THEN
    RAISE EXCEPTION 'the lock was granted anew' USING ERRCODE = 'LK001';
  END IF;
  PERFORM set_config('lock_timeout', outer_timeout, true);
END
$$;
