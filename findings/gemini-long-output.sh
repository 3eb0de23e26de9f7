#!/usr/bin/env bash
# Package: npm @google/gemini-cli
# Version: 0.61.0
# Guess: the result of a command is whole, as it is for the person at the terminal
# Behaviour: `resultDisplay` is whole; the result is a sentence with the path of a file that has all,
#   and below it, still in one <untrusted_context>, the first 8,000 and the last 32,000 characters
# Relies: plugins/unlatch_agents/transcripts/agents/gemini_cli.py
# Test: tests/unlatch_agents/transcripts/test_gemini_cli.py::test_long_output_is_that_of_the_command_and_not_the_path_of_a_file
source "$(dirname "$0")/common.sh"
npm_install @google/gemini-cli@0.61.0
project
model <<'END'
[{"call": ["run_shell_command", {"command": "seq 1 20000; echo the end; exit 3"}]}, {"text": "done"}]
END
mkdir "$HOME/.gemini"
cat >"$HOME/.gemini/settings.json" <<'END'
{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
 "general": {"disableAutoUpdate": true}, "privacy": {"usageStatisticsEnabled": false},
 "tools": {"allowed": ["run_shell_command"]}}
END
alone GEMINI_API_KEY=none GOOGLE_GEMINI_BASE_URL="$MODEL" gemini --skip-trust -m gemini-2.5-pro -p 'count' >"$WORK/log" 2>&1
python3 - "$HOME" >"$WORK/seen" <<'PYTHON'
import json, pathlib, re, sys

home = sys.argv[1]
(path,) = pathlib.Path(home, ".gemini/tmp").glob("*/chats/session-*.jsonl")
for line in map(json.loads, path.read_text().splitlines()):
    for call in line.get("toolCalls", ()):
        output = call["result"][0]["functionResponse"]["response"]["output"].replace(home, "HOME")
        output = re.sub(r"session-[\w-]+/\w+\.txt", "session-ID/NAME.txt", output)
        print(call["status"], "shown", call["resultDisplay"].strip()[-7:], len(call["resultDisplay"]) > 100_000)
        print("\n".join(output.splitlines()[:3]))
        print(re.search(r"\.\.\. \[[\d,]+ characters omitted\] \.\.\.", output) is not None)
        print(re.sub(r"PGID: \d+", "PGID: N", "\n".join(output.splitlines()[-4:])))
PYTHON
seen <<'END'
success shown the end True
Output too large. Showing first 8,000 and last 32,000 characters. For full output see: HOME/.gemini/tmp/project/tool-outputs/session-ID/NAME.txt
<untrusted_context>
Output: 1
True
the end
Exit Code: 3
Process Group PGID: N
</untrusted_context>
END
