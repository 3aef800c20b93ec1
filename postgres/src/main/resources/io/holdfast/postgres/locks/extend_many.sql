-- The same for many leases at once, without ever waiting: whatever somebody else works on is answered as
-- busy, so that it cannot hold up the others. Advisory locks are tried in the order of their numbers.
CREATE FUNCTION {extend_many}(p_lock_ids text[], p_ttl_ms bigint[], p_now_ms bigint)
RETURNS TABLE (place bigint, status text, until_ms bigint)
LANGUAGE plpgsql VOLATILE SECURITY INVOKER AS $$
DECLARE
  item record;
  held_id text;
  held_until bigint;
  at_ms bigint;
BEGIN
  FOR item IN
    SELECT i.place, i.lock_id, i.ttl_ms, l.key
      FROM unnest(p_lock_ids, p_ttl_ms) WITH ORDINALITY AS i (lock_id, ttl_ms, place)
      -- One probe of the index each: a plain join would read the whole table for a large batch.
      LEFT JOIN LATERAL (
        SELECT t.key FROM {locks} AS t WHERE t.lock_id = i.lock_id LIMIT 1) AS l ON true
     ORDER BY hashtext(l.key), l.key
  LOOP
    place := item.place;
    until_ms := NULL;
    IF item.key IS NULL THEN
      status := 'not_found';
    ELSIF NOT pg_try_advisory_xact_lock(hashtext(item.key)) THEN
      status := 'busy';
    ELSE
      SELECT l.lock_id, l.expires_at_ms INTO held_id, held_until
        FROM {locks} AS l WHERE l.key = item.key FOR UPDATE SKIP LOCKED;
      at_ms := {now};
      IF NOT FOUND THEN
        status := CASE WHEN EXISTS (SELECT FROM {locks} AS l WHERE l.key = item.key)
                       THEN 'busy' ELSE 'not_found' END;
      ELSIF held_id <> item.lock_id THEN
        status := 'not_found';
      ELSIF held_until <= at_ms - 1000 THEN
        status := 'expired';
      ELSE
        status := 'extended';
        until_ms := least(at_ms + item.ttl_ms, 9007199254740991);
        UPDATE {locks} AS l SET expires_at_ms = until_ms
         WHERE l.key = item.key AND l.lock_id = item.lock_id;
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
END
$$;
