-- What a fleet has to do, and who does it. The truth about work stays in git and on the trackers:
-- nothing here is needed to find it again. No titles, reasons, tokens or events of trackers.
--
-- A *unit* is one sync of one repository. A repository's row, not a job of the queue, decides
-- whether a unit may begin and whether its end counts.

CREATE TABLE fleet_version (
  version integer NOT NULL,     -- of these tables
  compatible integer NOT NULL,  -- the oldest version of the code that may use them
  engine text NOT NULL          -- the version of procrastinate whose tables stand beside them
);

CREATE TABLE fleet_repository (
  name text PRIMARY KEY,
  token_group text NOT NULL,
  every interval NOT NULL,
  wanted bigint NOT NULL DEFAULT 0,   -- requests for a unit so far
  done bigint NOT NULL DEFAULT 0,     -- of those, how many a finished unit has answered
  wanted_at timestamptz,              -- since when the oldest one waits
  priority integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  not_before timestamptz NOT NULL DEFAULT '-infinity',
  failures integer NOT NULL DEFAULT 0,
  is_paused boolean NOT NULL DEFAULT false,
  unit bigint,                        -- the unit at work
  outcome text,                       -- of the last one that ended
  error text,                         -- the id of its error
  ended timestamptz
);

CREATE TABLE fleet_node (
  epoch bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  version text NOT NULL,
  jobs integer NOT NULL,
  lease interval NOT NULL,
  began timestamptz NOT NULL DEFAULT clock_timestamp(),
  beat timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended timestamptz,
  is_draining boolean NOT NULL DEFAULT false
);
CREATE INDEX fleet_node_live ON fleet_node (name) WHERE ended IS NULL;

CREATE TABLE fleet_unit (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  repository text NOT NULL REFERENCES fleet_repository ON DELETE CASCADE,
  epoch bigint NOT NULL,
  job bigint NOT NULL,        -- procrastinate's
  wanted bigint NOT NULL,     -- the requests that it answers
  is_event boolean NOT NULL,
  began timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended timestamptz,
  outcome text,
  error text
);
CREATE INDEX fleet_unit_open ON fleet_unit (epoch) WHERE ended IS NULL;
CREATE INDEX fleet_unit_ended ON fleet_unit (ended);

CREATE TABLE fleet_delivery (
  id text PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX fleet_delivery_at ON fleet_delivery (at);

-- Requests to trackers by account, a keyed digest, and after a space their kind. One lane has the
-- part of each limit that is kept for events.
CREATE TABLE fleet_budget (
  account text NOT NULL,
  is_kept boolean NOT NULL,
  moment timestamptz NOT NULL,
  most integer NOT NULL        -- the limit of the longest window, for the status
);
CREATE INDEX fleet_budget_latest ON fleet_budget (account, is_kept, moment DESC);

-- Put a repository in the queue; one job waits at most, with the highest priority asked for.
CREATE FUNCTION fleet_defer(repository text, rank integer) RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM procrastinate_defer_jobs_v1(ARRAY[ROW(
    'unlatch-fleet-v1', 'unlatch_fleet.sync', rank, repository, repository,
    jsonb_build_object('v', 1, 'repository', repository), NULL
  )::procrastinate_job_to_defer_v1]);
EXCEPTION WHEN unique_violation THEN
  UPDATE procrastinate_jobs SET priority = rank
  WHERE queueing_lock = repository AND status = 'todo' AND priority < rank;
END $$;

-- Ask for a unit. Answers `enqueued`, `later` (a limit or a dead unit has to pass first), `paused`,
-- `duplicate` (all these deliveries are noted already), or `unknown` (and notes nothing).
CREATE FUNCTION fleet_enqueue(repository text, rank integer, deliveries text[])
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  entry fleet_repository;
BEGIN
  SELECT * INTO entry FROM fleet_repository WHERE name = repository FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  IF cardinality(deliveries) > 0 THEN
    INSERT INTO fleet_delivery (id) SELECT unnest(deliveries) ORDER BY 1 ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN RETURN 'duplicate'; END IF;
  END IF;
  UPDATE fleet_repository SET wanted = wanted + 1, priority = greatest(priority, rank),
    wanted_at = coalesce(wanted_at, clock_timestamp())
  WHERE name = repository;
  IF entry.is_paused THEN RETURN 'paused'; END IF;
  IF entry.not_before > clock_timestamp() THEN
    UPDATE fleet_repository SET next_at = least(next_at, not_before) WHERE name = repository;
    RETURN 'later';
  END IF;
  PERFORM fleet_defer(repository, rank);
  RETURN 'enqueued';
END $$;

-- Put repositories in the queue whose time has come, or whose job is gone; how many.
CREATE FUNCTION fleet_plan() RETURNS integer LANGUAGE plpgsql
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
    UPDATE fleet_repository SET next_at = clock_timestamp() + every, wanted = wanted + 1,
      wanted_at = coalesce(wanted_at, clock_timestamp())
    WHERE name = due.name;
    PERFORM fleet_defer(due.name, greatest(due.priority, CASE WHEN due.failures > 0 THEN 5 ELSE 0 END));
    planned := planned + 1;
  END LOOP;
  RETURN planned;
END $$;

-- A node enters, with a new epoch.
CREATE FUNCTION fleet_enter(node text, code text, units integer, silence interval) RETURNS bigint
LANGUAGE sql SET search_path = public, pg_temp AS $$
  INSERT INTO fleet_node (name, version, jobs, lease) VALUES (node, code, units, silence)
  RETURNING epoch
$$;

-- A node says that it lives: whether it has to drain; no row if it counts as dead.
CREATE FUNCTION fleet_beat(node bigint) RETURNS SETOF boolean LANGUAGE sql
SET search_path = public, pg_temp AS $$
  UPDATE fleet_node SET beat = clock_timestamp()
  WHERE epoch = node AND ended IS NULL AND beat + lease > clock_timestamp()
  RETURNING is_draining
$$;

-- Begin a unit. Answers its id and whether an event asked for it, or why not: `fenced` (the node
-- counts as dead), `busy`, `later`, `paused`, `unknown`. Asked again, it answers the same.
CREATE FUNCTION fleet_begin(
  repository text, node bigint, queued bigint, OUT refused text, OUT id bigint, OUT is_event boolean
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  entry fleet_repository;
BEGIN
  PERFORM 1 FROM fleet_node WHERE epoch = node AND ended IS NULL
    AND beat + lease > clock_timestamp() FOR UPDATE;
  IF NOT FOUND THEN refused := 'fenced'; RETURN; END IF;
  SELECT * INTO entry FROM fleet_repository WHERE name = fleet_begin.repository FOR UPDATE;
  SELECT unit.id, unit.is_event INTO id, is_event FROM fleet_unit unit
  WHERE unit.id = entry.unit AND unit.epoch = node AND unit.job = queued;
  IF FOUND THEN RETURN; END IF;
  refused := CASE
    WHEN entry.name IS NULL THEN 'unknown'
    WHEN entry.is_paused THEN 'paused'
    WHEN entry.unit IS NOT NULL THEN 'busy'
    WHEN entry.not_before > clock_timestamp() THEN 'later'
  END;
  IF refused = 'later' THEN
    UPDATE fleet_repository SET next_at = least(next_at, not_before) WHERE name = entry.name;
  END IF;
  IF refused IS NOT NULL THEN RETURN; END IF;
  is_event := entry.priority >= 10;
  INSERT INTO fleet_unit (repository, epoch, job, wanted, is_event)
    VALUES (entry.name, node, queued, entry.wanted, is_event)
    RETURNING fleet_unit.id INTO id;
  UPDATE fleet_repository SET unit = fleet_begin.id, priority = 0, wanted_at = NULL
  WHERE name = entry.name;
END $$;

-- End a unit; false if the node that began it counts as dead: then nothing is recorded.
-- Results: `done`; `later` (after `wait` seconds); `failed` (later and later, but not before);
-- `person` (not again before an event, `retry`, or a change of its entry).
-- If a rate limit is the cause, all repositories of the same tokens wait until then.
CREATE FUNCTION fleet_end(
  unit_id bigint, node bigint, result text, reason text, wait double precision, is_limited boolean
) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  entry fleet_repository;
  ending fleet_unit;
  moment timestamptz := clock_timestamp() + make_interval(secs => wait);
BEGIN
  PERFORM 1 FROM fleet_node WHERE epoch = node AND ended IS NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT * INTO entry FROM fleet_repository WHERE unit = unit_id FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE fleet_unit SET ended = clock_timestamp(), outcome = result, error = reason
  WHERE id = unit_id AND epoch = node AND fleet_unit.ended IS NULL RETURNING * INTO ending;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM fleet_close(entry, ending, result, reason, moment);
  IF is_limited THEN
    UPDATE fleet_repository SET not_before = moment WHERE name IN (SELECT name
      FROM fleet_repository WHERE token_group = entry.token_group AND unit IS NULL
      AND not_before < moment FOR UPDATE SKIP LOCKED);
  END IF;
  RETURN true;
END $$;

-- Record the end of a repository's unit, and what follows.
CREATE FUNCTION fleet_close(
  entry fleet_repository, ending fleet_unit, result text, reason text, moment timestamptz
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  now_at timestamptz := clock_timestamp();
  failed integer := CASE result WHEN 'failed' THEN entry.failures + 1 WHEN 'lost' THEN entry.failures ELSE 0 END;
  word text := CASE WHEN failed > 10 THEN 'person' ELSE result END;
  is_over boolean := word IN ('done', 'person');
BEGIN
  UPDATE fleet_repository SET
    unit = NULL, outcome = word, error = reason, ended = now_at, failures = failed,
    priority = CASE WHEN ending.is_event AND NOT is_over THEN 10 ELSE priority END,
    done = CASE WHEN result = 'done' THEN ending.wanted ELSE done END,
    wanted_at = CASE WHEN is_over OR wanted_at IS NOT NULL THEN wanted_at ELSE now_at END,
    not_before = CASE WHEN result = 'done' THEN '-infinity' ELSE coalesce(moment, '-infinity') END,
    next_at = CASE word
      WHEN 'done' THEN now_at + every
      WHEN 'person' THEN 'infinity'
      WHEN 'later' THEN coalesce(moment, now_at + every)
      WHEN 'lost' THEN now_at
      ELSE greatest(coalesce(moment, now_at),
                    now_at + least(interval '1 hour', interval '15 s' * 2 ^ least(failed, 10)))
    END
  WHERE name = entry.name;
  IF entry.wanted > ending.wanted AND is_over AND NOT entry.is_paused THEN
    PERFORM fleet_defer(entry.name, entry.priority);  -- an event during the unit
  END IF;
END $$;

-- Take over from silent nodes; how many units were lost. Their jobs are deleted, not retried: a
-- late end of the old job then frees no key, and one that waits already is no obstacle.
CREATE FUNCTION fleet_sweep() RETURNS integer LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
  silent bigint;
  left_open fleet_unit;
  entry fleet_repository;
  stalled procrastinate_jobs;
  lost integer := 0;
BEGIN
  FOR silent IN UPDATE fleet_node SET ended = clock_timestamp()
    WHERE epoch IN (SELECT epoch FROM fleet_node WHERE ended IS NULL
      AND beat + lease <= clock_timestamp() FOR UPDATE SKIP LOCKED)
    RETURNING epoch
  LOOP
    FOR left_open IN UPDATE fleet_unit SET ended = clock_timestamp(), outcome = 'lost'
      WHERE epoch = silent AND fleet_unit.ended IS NULL RETURNING *
    LOOP
      DELETE FROM procrastinate_jobs WHERE id = left_open.job;
      SELECT * INTO entry FROM fleet_repository WHERE unit = left_open.id FOR UPDATE;
      IF FOUND THEN
        PERFORM fleet_close(entry, left_open, 'lost', NULL, NULL);
        PERFORM fleet_defer(entry.name, 11);  -- it has waited for a lease already
        lost := lost + 1;
      END IF;
    END LOOP;
  END LOOP;
  -- Fetched a lease ago and not at work: never begun, or its end did not reach the queue.
  FOR stalled IN DELETE FROM procrastinate_jobs job WHERE job.status = 'doing'
    AND job.queue_name = 'unlatch-fleet-v1'
    AND NOT EXISTS (SELECT 1 FROM fleet_unit WHERE fleet_unit.job = job.id AND fleet_unit.ended IS NULL)
    AND NOT EXISTS (SELECT 1 FROM procrastinate_events WHERE job_id = job.id AND type = 'started'
      AND at + (SELECT max(lease) FROM fleet_node WHERE fleet_node.ended IS NULL) > clock_timestamp())
    RETURNING job.*
  LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM fleet_unit WHERE fleet_unit.job = stalled.id);
    PERFORM fleet_defer(stalled.args ->> 'repository', stalled.priority);
  END LOOP;
  RETURN lost;
END $$;

-- A node leaves. With units that it has not ended it stays, and counts as dead after its lease.
CREATE FUNCTION fleet_leave(node bigint) RETURNS void LANGUAGE sql
SET search_path = public, pg_temp AS $$
  UPDATE fleet_node SET ended = clock_timestamp() WHERE epoch = node AND ended IS NULL
    AND NOT EXISTS (SELECT 1 FROM fleet_unit WHERE epoch = node AND fleet_unit.ended IS NULL)
$$;

-- Reserve requests of an account, in `after` seconds or later. `counts` in `seconds` are its limits;
-- `kept` of 1 is the part of each that only events may use.
CREATE FUNCTION fleet_reserve(
  payer text, n integer, counts integer[], seconds double precision[],
  after double precision, within double precision, kept double precision, for_event boolean,
  OUT wait double precision, OUT is_limit boolean, OUT granted boolean
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  now_at timestamptz;
  earliest timestamptz;
  lane boolean;
  free timestamptz;
  moment_at timestamptz;
  chosen boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(payer, 0));
  now_at := clock_timestamp();
  earliest := now_at + make_interval(secs => after);
  granted := true;
  FOR i IN 1..n LOOP
    moment_at := 'infinity';
    FOREACH lane IN ARRAY CASE WHEN for_event THEN ARRAY[true, false] ELSE ARRAY[false] END LOOP
      free := greatest(earliest, fleet_free(payer, lane, counts, seconds, kept));
      IF free < moment_at THEN moment_at := free; chosen := lane; END IF;
    END LOOP;
    is_limit := moment_at > earliest;
    wait := extract(epoch FROM moment_at - now_at);
    IF is_limit AND wait > within THEN
      granted := false;
      RETURN;  -- the caller rolls back
    END IF;
    INSERT INTO fleet_budget VALUES (payer, chosen, moment_at, counts[array_upper(counts, 1)]);
    earliest := moment_at;
  END LOOP;
END $$;

-- The first moment at which one more request of a lane exceeds no limit; `infinity` if none may.
CREATE FUNCTION fleet_free(
  payer text, lane boolean, counts integer[], seconds double precision[],
  kept double precision
) RETURNS timestamptz LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  share integer;
  earlier timestamptz;
  latest timestamptz := '-infinity';
BEGIN
  FOR i IN 1..coalesce(array_length(counts, 1), 0) LOOP
    share := floor(counts[i] * kept);
    IF NOT lane THEN share := counts[i] - share; END IF;
    IF share < 1 THEN RETURN 'infinity'; END IF;
    SELECT moment INTO earlier FROM fleet_budget
    WHERE account = payer AND is_kept = lane
    ORDER BY moment DESC OFFSET share - 1 LIMIT 1;
    IF FOUND THEN latest := greatest(latest, earlier + make_interval(secs => seconds[i])); END IF;
  END LOOP;
  RETURN latest;
END $$;

-- Remove rows that are older than this.
CREATE FUNCTION fleet_clean(age interval) RETURNS void LANGUAGE sql
SET search_path = public, pg_temp AS $$
  DELETE FROM fleet_unit WHERE ended < clock_timestamp() - age;
  DELETE FROM fleet_delivery WHERE at < clock_timestamp() - age;
  DELETE FROM fleet_node WHERE ended < clock_timestamp() - age;
  DELETE FROM fleet_budget WHERE moment < clock_timestamp() - least(age, interval '1 day');
  DELETE FROM procrastinate_jobs WHERE queue_name LIKE 'unlatch-fleet-%'
    AND status NOT IN ('todo', 'doing') AND NOT EXISTS (SELECT 1 FROM procrastinate_events
      WHERE job_id = procrastinate_jobs.id AND procrastinate_events.at > clock_timestamp() - age);
$$;

-- What each repository waits for, for status, page and metrics.
CREATE VIEW fleet_status AS
  SELECT name AS repository, token_group,
    CASE WHEN is_paused THEN 'paused' WHEN unit IS NOT NULL THEN 'at-work'
      WHEN wanted > done AND not_before > clock_timestamp() THEN 'later'
      WHEN wanted_at IS NOT NULL THEN 'waiting'
      WHEN outcome IS NULL THEN 'new' ELSE outcome END AS state,
    wanted_at, next_at, not_before, failures, outcome, error, ended,
    (SELECT node.name FROM fleet_unit JOIN fleet_node node USING (epoch)
      WHERE fleet_unit.id = fleet_repository.unit) AS node,
    (SELECT began FROM fleet_unit WHERE fleet_unit.id = fleet_repository.unit) AS began
  FROM fleet_repository;

CREATE VIEW fleet_nodes AS
  SELECT epoch, name, version, jobs, began, beat, is_draining,
    (SELECT count(*) FROM fleet_unit WHERE fleet_unit.epoch = node.epoch AND ended IS NULL) AS units,
    beat + lease <= clock_timestamp() AS is_silent
  FROM fleet_node node WHERE ended IS NULL;

CREATE VIEW fleet_budgets AS
  SELECT split_part(account, ' ', 1) AS account, split_part(account, ' ', 2) AS kind,
    max(most) AS most,
    count(*) FILTER (WHERE moment > clock_timestamp() - interval '1 hour'
      AND moment <= clock_timestamp()) AS used,
    count(*) FILTER (WHERE moment > clock_timestamp()) AS reserved
  FROM fleet_budget GROUP BY 1, 2;

-- Units that ended in the last hour, by outcome.
CREATE VIEW fleet_recent AS
  SELECT outcome, count(*) AS units,
    coalesce(sum(extract(epoch FROM ended - began)), 0)::double precision AS seconds
  FROM fleet_unit WHERE ended > clock_timestamp() - interval '1 hour' GROUP BY outcome;

REVOKE EXECUTE ON FUNCTION fleet_defer, fleet_enqueue, fleet_plan, fleet_enter, fleet_beat,
  fleet_begin, fleet_end, fleet_close, fleet_sweep, fleet_leave, fleet_reserve, fleet_free,
  fleet_clean FROM PUBLIC;
