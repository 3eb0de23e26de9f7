#!/usr/bin/env bash
# Package: npm @openai/codex
# Version: 0.171.0
# Guess: a command that still runs when `codex exec` ends, such as a server that the agent started,
#   has no exit code: its only output says that it runs
# Behaviour: the end of Codex ends it, and the file gets one more line after that of the turn's end:
#   a CommandExecution with the status "failed" and the exit code -1, like that of a command that failed
# Relies: plugins/unlatch_agents/transcripts/agents/codex.py
# Test: tests/unlatch_agents/transcripts/test_codex.py::test_command_that_runs_when_codex_ends_has_not_failed
# Its sandbox has a /dev of its own, in which a program in /dev/shm would be missing.
case "${TMPDIR:-}" in /dev/*) export TMPDIR=/tmp ;; esac
source "$(dirname "$0")/common.sh"
npm_install @openai/codex@0.171.0
project
model <<'END'
[{"call": ["exec_command", {"cmd": "echo serving; until [ -e stop ]; do sleep 0.1; done", "yield_time_ms": 1000}]},
 {"call": ["exec_command", {"cmd": "until [ -e go ]; do sleep 0.1; done; echo late; exit 4", "yield_time_ms": 1000}]},
 {"call": ["exec_command", {"cmd": "touch go; sleep 2"}]},
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
alone LOCAL_KEY=none codex exec -s workspace-write 'serve' >"$WORK/log" 2>&1 || code=$?
python3 - "$HOME" "$code" >"$WORK/seen" <<'PYTHON'
import json, pathlib, re, sys

print("exit code", sys.argv[2])
(path,) = pathlib.Path(sys.argv[1], ".codex/sessions").glob("*/*/*/*.jsonl")
for line in map(json.loads, path.read_text().splitlines()):
    payload = line["payload"]
    item = payload.get("item") or {}
    if payload.get("type") == "function_call_output":
        print("output:", re.search(r"Process (running|exited with code \d+)", payload["output"])[0])
    elif item.get("type") == "CommandExecution":
        print("event:", item["status"], item["exit_code"], repr(item["aggregated_output"]))
    elif payload.get("type") == "task_complete":
        print("end of the turn")
PYTHON
seen <<'END'
exit code 0
output: Process running
output: Process running
event: failed 4 'late\n'
event: completed 0 ''
output: Process exited with code 0
end of the turn
event: failed -1 'serving\n'
END
