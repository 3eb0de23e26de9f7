#!/usr/bin/env bash
# Package: npm @google/gemini-cli
# Version: 0.61.0
# Guess: a command that -p may not run is a call with the status "cancelled"
# Behaviour: it is a call with the status "error" of a tool that is "not found", and the names of
#   others are proposed: what would have to be asked is not offered without a terminal
# Relies: plugins/unlatch_agents/transcripts/agents/gemini_cli.py
# Test: tests/unlatch_agents/transcripts/test_gemini_cli.py::test_status_and_exit_code_say_whether_a_call_failed
source "$(dirname "$0")/common.sh"
npm_install @google/gemini-cli@0.61.0
project
model <<'END'
[{"call": ["run_shell_command", {"command": "touch made"}]}, {"text": "done"}]
END
mkdir "$HOME/.gemini"
cat >"$HOME/.gemini/settings.json" <<'END'
{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
 "general": {"disableAutoUpdate": true}, "privacy": {"usageStatisticsEnabled": false}}
END
alone GEMINI_API_KEY=none GOOGLE_GEMINI_BASE_URL="$MODEL" gemini --skip-trust -m gemini-2.5-pro -p 'make' >"$WORK/log" 2>&1
python3 - "$HOME" >"$WORK/seen" <<'PYTHON'
import json, pathlib, sys

(path,) = pathlib.Path(sys.argv[1], ".gemini/tmp").glob("*/chats/session-*.jsonl")
for line in map(json.loads, path.read_text().splitlines()):
    for call in line.get("toolCalls", ()):
        print(call["name"], call["status"], call["resultDisplay"])
PYTHON
seen <<'END'
run_shell_command error Tool "run_shell_command" not found. Did you mean one of: "update_topic", "grep_search", "invoke_agent"?
END
