#!/usr/bin/env bash
# Package: npm @qwen-code/qwen-code
# Version: 0.24.4
# Guess: as a fork of Gemini CLI, it writes its files: a header with startTime, messages, `$set`
# Behaviour: its lines have the keys of Claude Code (uuid, parentUuid, sessionId, type, cwd, gitBranch)
#   around messages of Gemini (role model, parts), and calls and results without its blocks
# Relies: plugins/unlatch_agents/transcripts/read.py
# Test: tests/unlatch_agents/transcripts/test_read.py::test_other_files_are_not_recognised
source "$(dirname "$0")/common.sh"
npm_install @qwen-code/qwen-code@0.24.4
project
model <<'END'
[{"call": ["run_shell_command", {"command": "echo hi", "is_background": false}]}, {"text": "done"}]
END
alone OPENAI_API_KEY=none OPENAI_BASE_URL="$MODEL/v1" OPENAI_MODEL=scripted QWEN_TELEMETRY_ENABLED=false \
  qwen --auth-type openai -y -p 'say hi' >"$WORK/log" 2>&1
python3 - "$HOME" >"$WORK/seen" <<'PYTHON'
import json, pathlib, sys

(path,) = pathlib.Path(sys.argv[1], ".qwen/projects").glob("*/chats/*.jsonl")
envelope = "uuid parentUuid sessionId timestamp cwd version gitBranch".split()
for line in map(json.loads, path.read_text().splitlines()):
    if line["type"] == "system":
        continue
    message = line["message"]
    missing = [key for key in envelope if key not in line]
    print(line["type"], message["role"], [*message["parts"][0]], "without", missing)
PYTHON
seen <<'END'
user user ['text'] without []
assistant model ['functionCall'] without []
tool_result user ['functionResponse'] without []
assistant model ['text'] without []
END
