#!/usr/bin/env bash
# Package: npm opencode-ai
# Version: 1.18.33
# Guess: the stored output of a command is whole, or its start with a mark where it is cut
# Behaviour: it is what the command wrote last, be it one line, below "...output truncated..." and the
#   path of a file in the user's data folder that has all; `metadata.output` has the last 30,000 characters
# Relies: plugins/unlatch_agents/transcripts/agents/opencode.py
# Test: tests/unlatch_agents/transcripts/test_opencode.py::test_long_output_is_that_of_the_command_and_not_the_path_of_a_file
source "$(dirname "$0")/common.sh"
npm_install opencode-ai@1.18.33
PATH="$(dirname "$WORK"/npm/node_modules/opencode-*/bin/opencode | sort | head -n 1):$PATH"
project
model <<'END'
[{"call": ["bash", {"command": "seq 1 20000; sleep 1; echo the end; exit 3", "description": "d"}]}, {"text": "done"}]
END
mkdir -p "$HOME/.config/opencode"
cat >"$HOME/.config/opencode/opencode.json" <<END
{"autoupdate": false, "share": "disabled", "model": "local/scripted", "small_model": "local/scripted",
 "provider": {"local": {"npm": "@ai-sdk/openai-compatible", "name": "local",
   "options": {"baseURL": "$MODEL/v1", "apiKey": "none"},
   "models": {"scripted": {"name": "scripted", "tool_call": true, "limit": {"context": 100000, "output": 4000}}}}}}
END
alone opencode run 'count' >"$WORK/log" 2>&1
python3 - "$HOME" >"$WORK/seen" <<'PYTHON'
import json, pathlib, re, sqlite3, sys

home = pathlib.Path(sys.argv[1])
database = sqlite3.connect(home / ".local/share/opencode/opencode.db")
for (data,) in database.execute("SELECT data FROM part ORDER BY time_created, id"):
    part = json.loads(data)
    if part["type"] == "tool":
        state = part["state"]
        print(state["status"], "exit", state["metadata"]["exit"], "truncated", state["metadata"]["truncated"])
        print(re.sub(r"tool_\w+", "tool_ID", "\n".join(state["output"].splitlines()[:3])).replace(str(home), "HOME"))
        print("and", repr(state["output"].splitlines()[3:]))
        shown = state["metadata"]["output"]
        print("metadata.output:", len(shown), repr(shown[:5]), "ends with", repr(shown[-14:]))
for path in home.glob(".local/share/opencode/tool-output/*"):
    print("file of", len(path.read_text().splitlines()), "lines")
PYTHON
seen <<'END'
completed exit 3 truncated True
...output truncated...

Full output saved to: HOME/.local/share/opencode/tool-output/tool_ID
and ['', 'the end']
metadata.output: 30005 '...\n\n' ends with '20000\nthe end\n'
file of 20001 lines
END
