-- Tasks of runs on nodes. The log of a run is the truth; these rows fence the starts of its workers,
-- their messages and their ends. Texts are JSON of unlatch, so that no character is a problem.

-- A run as its coordinators know it. `epoch` is the highest number of one that was seen.
CREATE TABLE run_origin (
  origin text PRIMARY KEY,
  epoch bigint NOT NULL,
  seen timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- A node that works on tasks, from one start to its end; `offer` is what its operator lists.
CREATE TABLE run_node (
  epoch bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  version text NOT NULL,
  offer text NOT NULL,
  jobs integer NOT NULL,
  lease interval NOT NULL,
  began timestamptz NOT NULL DEFAULT clock_timestamp(),
  beat timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended timestamptz
);
CREATE INDEX run_node_live ON run_node (epoch) WHERE ended IS NULL;

-- One dispatch of one task. Its worker starts only on the node whose epoch is written here, once.
CREATE TABLE run_dispatch (
  run_id text PRIMARY KEY,
  v integer NOT NULL,           -- of `work`; nodes leave higher ones alone
  origin text NOT NULL REFERENCES run_origin ON DELETE CASCADE,
  task text NOT NULL,
  owner text NOT NULL,          -- the dispatcher that claimed it or took it over
  epoch bigint NOT NULL,        -- of its coordinator
  until timestamptz NOT NULL,
  over timestamptz,             -- when the lease was ended; then the result does not count
  how text,                     -- how the worker is to be ended
  repository text NOT NULL,
  work text NOT NULL,
  created timestamptz NOT NULL DEFAULT clock_timestamp(),
  refused text,                 -- why the last node that looked at it left it
  node bigint REFERENCES run_node,
  begun timestamptz,            -- when that node took it
  closed timestamptz,           -- from then on no process of its worker lives
  ended text                    -- how it ended, and the number of its messages
);
CREATE INDEX run_dispatch_open ON run_dispatch (origin) WHERE over IS NULL OR closed IS NULL;
CREATE INDEX run_dispatch_waiting ON run_dispatch (created)
  WHERE node IS NULL AND over IS NULL AND closed IS NULL;
CREATE INDEX run_dispatch_at_work ON run_dispatch (node) WHERE closed IS NULL;

CREATE TABLE run_message (
  run_id text NOT NULL REFERENCES run_dispatch ON DELETE CASCADE,
  number integer NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (run_id, number)
);

-- A node says that it lives: false if it counts as dead.
CREATE FUNCTION run_beat(node bigint) RETURNS boolean LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE run_node SET beat = clock_timestamp()
  WHERE epoch = node AND ended IS NULL AND beat + lease > clock_timestamp();
  RETURN FOUND;
END $$;

-- A node takes a dispatch, and may start its worker; false if another did, or it counts as dead.
CREATE FUNCTION run_take(id text, taker bigint) RETURNS boolean LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM run_node WHERE epoch = taker AND ended IS NULL
    AND beat + lease > clock_timestamp() FOR SHARE;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE run_dispatch SET node = taker, begun = clock_timestamp(), refused = NULL
  WHERE run_id = id AND node IS NULL AND over IS NULL AND closed IS NULL AND how IS NULL
    AND until > clock_timestamp();
  RETURN FOUND;
END $$;

-- Add messages of a worker, of which some may be there; with `ending` it is the last of it. False
-- if its node counts as dead: then nothing is recorded.
CREATE FUNCTION run_report(
  id text, reporter bigint, first integer, texts text[], ending text
) RETURNS boolean LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM run_dispatch WHERE run_id = id AND node = reporter
    AND (closed IS NULL OR ended = ending) FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO run_message
    SELECT id, first + place - 1, message FROM unnest(texts) WITH ORDINALITY AS t (message, place)
    ON CONFLICT DO NOTHING;
  IF ending IS NOT NULL THEN
    UPDATE run_dispatch SET closed = coalesce(closed, clock_timestamp()), ended = ending
    WHERE run_id = id;
  END IF;
  RETURN true;
END $$;

-- Close what silent nodes had: `ending` says how, without the number of messages.
CREATE FUNCTION run_sweep(ending jsonb) RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE run_node SET ended = clock_timestamp()
  WHERE epoch IN (SELECT epoch FROM run_node WHERE ended IS NULL
    AND beat + lease <= clock_timestamp() FOR UPDATE SKIP LOCKED);
  UPDATE run_dispatch d SET closed = clock_timestamp(), ended = (ending || jsonb_build_object(
    'messages', (SELECT count(*) FROM run_message WHERE run_message.run_id = d.run_id)))::text
  WHERE closed IS NULL AND node IN (SELECT epoch FROM run_node WHERE run_node.ended IS NOT NULL);
END $$;

-- Remove what ended longer ago than this.
CREATE FUNCTION run_clean(age interval) RETURNS void LANGUAGE sql
SET search_path = public, pg_temp AS $$
  DELETE FROM run_dispatch WHERE over < clock_timestamp() - age AND closed < clock_timestamp() - age;
  DELETE FROM run_origin WHERE seen < clock_timestamp() - age
    AND NOT EXISTS (SELECT 1 FROM run_dispatch d WHERE d.origin = run_origin.origin);
  DELETE FROM run_node WHERE ended < clock_timestamp() - age
    AND NOT EXISTS (SELECT 1 FROM run_dispatch WHERE node = run_node.epoch);
$$;

REVOKE EXECUTE ON FUNCTION run_beat, run_take, run_report, run_sweep, run_clean FROM PUBLIC;
