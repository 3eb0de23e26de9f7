#!/usr/bin/env bash
# Package: npm @anthropic-ai/claude-code
# Version: 2.1.332
# Guess: a long output is cut in the middle, whether or not the command failed, and toolUseResult has
#   it whole
# Behaviour: of a command that succeeds the result is a preview of 2 KB, and a file beside the session
#   has the whole; of one that fails, the first and the last 5,000 of the first 30,000 characters: its
#   end, with the error, is in no file
# Relies: plugins/unlatch_agents/transcripts/agents/claude_lines.py
# Test: tests/unlatch_agents/transcripts/test_claude_code.py::test_end_that_was_not_kept_of_a_long_error_is_said_to_be_missing
source "$(dirname "$0")/common.sh"
npm_install @anthropic-ai/claude-code@2.1.332
PATH="$(dirname "$WORK"/npm/node_modules/@anthropic-ai/claude-code-*/claude):$PATH"
project
model <<'END'
[{"call": ["Bash", {"command": "seq 1 20000; echo the end", "description": "d"}]},
 {"call": ["Bash", {"command": "seq 1 20000; echo the end; exit 3", "description": "d"}]},
 {"text": "done"}]
END
alone ANTHROPIC_BASE_URL="$MODEL" ANTHROPIC_API_KEY=none CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
  DISABLE_AUTOUPDATER=1 claude -p 'count' --allowedTools Bash >"$WORK/log"
python3 - "$HOME" >"$WORK/seen" <<'PYTHON'
import json, pathlib, re, sys

folder = pathlib.Path(sys.argv[1], ".claude/projects")
(path,) = folder.glob("*/*.jsonl")
for line in map(json.loads, path.read_text().splitlines()):
    content = line["message"]["content"] if line["type"] == "user" else ""
    if isinstance(content, list):
        words, details = content[0]["content"], line["toolUseResult"]
        print("error" if content[0]["is_error"] else "no error", re.findall(r"^<.*>|\.\.\. .* \.\.\.", words))
        print("  ends with", repr(words[-30:]))
        print("  stdout", len(details["stdout"]) if isinstance(details, dict) else None)
for path in folder.glob("*/*/tool-results/*"):
    print("file of", len(path.read_text()), "characters ends with", repr(path.read_text()[-8:]))
PYTHON
seen <<'END'
no error ['<persisted-output>']
  ends with '26\n527\n...\n</persisted-output>'
  stdout 30000
error ['... [20012 characters truncated] ...']
  ends with '16\n6217\n6218\n6219\n6220\n6221\n62'
  stdout None
file of 108902 characters ends with 'the end\n'
END
