#!/usr/bin/env bash
# Package: npm opencode-ai
# Version: 1.18.33
# Guess: a call that a rule denies is an error, "The user rejected permission"
# Behaviour: it is stored as a completed call of a tool "invalid" that ends without an error; the
#   tool's name is in input.tool, and its arguments are gone
# Relies: plugins/unlatch_agents/transcripts/agents/opencode.py
# Test: tests/unlatch_agents/transcripts/test_opencode.py::test_call_that_a_rule_denied_is_no_success_and_no_refusal
source "$(dirname "$0")/common.sh"
npm_install opencode-ai@1.18.33
PATH="$(dirname "$WORK"/npm/node_modules/opencode-*/bin/opencode | sort | head -n 1):$PATH"
project
model <<'END'
[{"call": ["bash", {"command": "touch made", "description": "d"}]}, {"text": "done"}]
END
mkdir -p "$HOME/.config/opencode"
cat >"$HOME/.config/opencode/opencode.json" <<END
{"autoupdate": false, "share": "disabled", "model": "local/scripted", "small_model": "local/scripted",
 "permission": {"bash": "deny"},
 "provider": {"local": {"npm": "@ai-sdk/openai-compatible", "name": "local",
   "options": {"baseURL": "$MODEL/v1", "apiKey": "none"},
   "models": {"scripted": {"name": "scripted", "tool_call": true, "limit": {"context": 100000, "output": 4000}}}}}}
END
alone opencode run 'make' >"$WORK/log" 2>&1
python3 - "$HOME" >"$WORK/seen" <<'PYTHON'
import json, pathlib, sqlite3, sys

database = sqlite3.connect(pathlib.Path(sys.argv[1], ".local/share/opencode/opencode.db"))
for (data,) in database.execute("SELECT data FROM part ORDER BY time_created, id"):
    part = json.loads(data)
    if part["type"] == "tool":
        print(part["tool"], part["state"]["status"])
        print(json.dumps(part["state"]["input"], indent=1))
PYTHON
seen <<'END'
invalid completed
{
 "tool": "bash",
 "error": "Model tried to call unavailable tool 'bash'. Available tools: edit, glob, grep, invalid, read, skill, task, todowrite, webfetch, write."
}
END
