#!/usr/bin/env bash
# Package: npm @openai/codex
# Version: 0.171.0
# Guess: the summary of an automatic compaction is in its own line, after the prompt that set it off
# Behaviour: it is a message of the assistant as well, like each answer to the person, and both are before
#   the prompt; only an item_completed of the type AgentMessage is missing
# Relies: plugins/unlatch_agents/transcripts/agents/codex.py
# Test: tests/unlatch_agents/transcripts/test_codex.py::test_summary_of_a_compaction_is_no_reply
source "$(dirname "$0")/common.sh"
npm_install @openai/codex@0.171.0
project
model <<'END'
[{"text": "one", "usage": [90000, 10]}, {"text": "in short", "usage": [5000, 20]}, {"text": "three"}]
END
mkdir "$HOME/.codex"
cat >"$HOME/.codex/config.toml" <<END
model = "scripted"
model_provider = "local"
model_auto_compact_token_limit = 50000
[model_providers.local]
name = "local"
base_url = "$MODEL/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
END
alone LOCAL_KEY=none codex exec -s read-only 'first' >"$WORK/log" 2>&1
alone LOCAL_KEY=none codex exec -s read-only resume --last 'second' >"$WORK/log" 2>&1
python3 - "$HOME" >"$WORK/seen" <<'PYTHON'
import json, pathlib, sys

(path,) = pathlib.Path(sys.argv[1], ".codex/sessions").glob("*/*/*/*.jsonl")
for line in map(json.loads, path.read_text().splitlines()):
    payload = line["payload"]
    if payload.get("type") == "message":
        text = payload["content"][-1]["text"]
        if payload["role"] == "assistant" or text in ("first", "second"):
            print(payload["role"], repr(text))
    elif payload.get("type") == "item_completed":
        print(" ", payload["item"]["type"])
    elif line["type"] == "compacted":
        print("compacted, ends with", repr(payload["message"].splitlines()[-1]))
PYTHON
seen <<'END'
user 'first'
  UserMessage
  AgentMessage
assistant 'one'
assistant 'in short'
compacted, ends with 'in short'
  ContextCompaction
user 'second'
  UserMessage
  AgentMessage
assistant 'three'
END
