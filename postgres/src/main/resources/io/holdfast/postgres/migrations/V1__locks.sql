-- Who waits for which key. Unlogged: after a crash of the server only the order of waiters is lost.
CREATE UNLOGGED TABLE holdfast.lock_waiters (
  ticket        bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pair          text    NOT NULL,
  key           text    NOT NULL,
  waiter_id     text    NOT NULL,
  fair          boolean NOT NULL,
  expires_at_ms bigint  NOT NULL,
  UNIQUE (pair, key, waiter_id)
);
CREATE INDEX lock_waiters_queue ON holdfast.lock_waiters (pair, key, ticket);

-- The highest fence that acted on a resource. Rows are never deleted: a deleted one forgets who is stale.
CREATE TABLE holdfast.fence_guard (
  resource      text   PRIMARY KEY,
  highest       bigint NOT NULL,
  updated_at_ms bigint NOT NULL
) WITH (fillfactor = 50);

-- Lets a holder act on a resource unless a newer one already has. Call it before the first read of what
-- is protected, inside the transaction that changes it. Reading first and then locking once, in the mode
-- that is needed, avoids the upgrade that would make two holders deadlock; what was read may have changed
-- during the wait, so it is looked at again.
CREATE FUNCTION holdfast.assert_fence(resource text, fence bigint) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER AS $$
DECLARE
  known bigint;
BEGIN
  IF fence IS NULL OR fence < 0 OR resource IS NULL OR resource = '' THEN
    RAISE EXCEPTION 'assert_fence needs a resource and a fence' USING ERRCODE = '22023';
  END IF;
  LOOP
    SELECT g.highest INTO known FROM holdfast.fence_guard AS g WHERE g.resource = assert_fence.resource;
    IF known IS NULL THEN
      INSERT INTO holdfast.fence_guard AS g (resource, highest, updated_at_ms)
      VALUES (assert_fence.resource, assert_fence.fence,
              floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
      ON CONFLICT ON CONSTRAINT fence_guard_pkey DO NOTHING;
      EXIT WHEN FOUND;
    ELSIF fence < known THEN
      RAISE EXCEPTION 'a newer holder has already acted' USING ERRCODE = 'LK001';
    ELSIF fence = known THEN
      PERFORM FROM holdfast.fence_guard AS g
        WHERE g.resource = assert_fence.resource AND g.highest = assert_fence.fence FOR SHARE;
      EXIT WHEN FOUND;
    ELSE
      UPDATE holdfast.fence_guard AS g
         SET highest = assert_fence.fence,
             updated_at_ms = floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
       WHERE g.resource = assert_fence.resource AND g.highest < assert_fence.fence;
      EXIT WHEN FOUND;
    END IF;
  END LOOP;
END
$$;
