-- A repository whose unit failed, or ends later, is looked at again a minute after it was put in the
-- queue: the job may be lost with a node or a crash of the database, and its next regular time may be
-- an hour away. A job that waits still is no obstacle.
CREATE OR REPLACE FUNCTION fleet_plan() RETURNS integer LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
  due fleet_repository;
  planned integer := 0;
BEGIN
  FOR due IN SELECT * FROM fleet_repository
    WHERE NOT is_paused AND unit IS NULL AND (next_at <= clock_timestamp()
      OR wanted_at < clock_timestamp() - interval '1 minute' AND not_before <= clock_timestamp()
      AND coalesce(outcome, '') NOT IN ('failed', 'later') AND NOT EXISTS (
        SELECT 1 FROM procrastinate_jobs WHERE lock = name AND status IN ('todo', 'doing')))
    ORDER BY next_at LIMIT 500 FOR UPDATE SKIP LOCKED
  LOOP
    UPDATE fleet_repository SET
      next_at = clock_timestamp() + CASE WHEN due.outcome IN ('failed', 'later')
        THEN least(every, interval '1 minute') ELSE every END,
      wanted = wanted + 1, wanted_at = coalesce(wanted_at, clock_timestamp())
    WHERE name = due.name;
    PERFORM fleet_defer(due.name, greatest(due.priority, CASE WHEN due.failures > 0 THEN 5 ELSE 0 END));
    planned := planned + 1;
  END LOOP;
  RETURN planned;
END $$;
