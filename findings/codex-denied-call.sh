#!/usr/bin/env bash
# Package: npm @openai/codex
# Version: 0.171.0
# Guess: a command that `exec` may not run ends with an exit code other than 0, or as declined
# Behaviour: one that asks to leave the sandbox has neither an exit code nor an item_completed: its
#   output is a sentence, "approval policy is Never; reject command", like any other output
# Relies: plugins/unlatch_agents/transcripts/agents/codex_results.py
# Test: tests/unlatch_agents/transcripts/test_codex.py::test_outputs_say_whether_a_call_failed
source "$(dirname "$0")/common.sh"
npm_install @openai/codex@0.171.0
project
model <<'END'
[{"call": ["exec_command", {"cmd": "touch made", "sandbox_permissions": "require_escalated",
                            "justification": "to make it"}]},
 {"text": "done"}]
END
mkdir "$HOME/.codex"
cat >"$HOME/.codex/config.toml" <<END
model = "scripted"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "$MODEL/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
END
code=0
alone LOCAL_KEY=none codex exec -s read-only 'make' >"$WORK/log" 2>&1 || code=$?
python3 - "$HOME" "$code" >"$WORK/seen" <<'PYTHON'
import json, pathlib, sys

print("exit code", sys.argv[2])
(path,) = pathlib.Path(sys.argv[1], ".codex/sessions").glob("*/*/*/*.jsonl")
for line in map(json.loads, path.read_text().splitlines()):
    payload = line["payload"]
    if payload.get("type") == "function_call_output":
        print(line["type"], payload["output"])
    elif payload.get("type") == "item_completed":
        print(line["type"], payload["item"]["type"])
PYTHON
seen <<'END'
exit code 0
event_msg UserMessage
response_item approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never
event_msg AgentMessage
END
