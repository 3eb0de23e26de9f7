#!/usr/bin/env bash
# Package: npm @anthropic-ai/claude-code
# Version: 2.1.332
# Guess: a call that -p may not make is answered as one that a person refused: "The user doesn't want
#   to proceed with this tool use"
# Behaviour: the answer is an error with another text for each tool and rule ("This command requires
#   approval"); `toolDenialKind` says user-rejected although nobody was asked, and only
#   `permissionDecision.source` (config, hook) tells that apart
# Relies: plugins/unlatch_agents/transcripts/agents/claude_lines.py
# Test: tests/unlatch_agents/transcripts/test_claude_code.py::test_call_that_nobody_was_asked_about_is_denied
source "$(dirname "$0")/common.sh"
npm_install @anthropic-ai/claude-code@2.1.332
PATH="$(dirname "$WORK"/npm/node_modules/@anthropic-ai/claude-code-*/claude):$PATH"
project
model <<'END'
[{"call": ["Bash", {"command": "python3 -c 1", "description": "d"}]},
 {"call": ["Write", {"file_path": "made.txt", "content": "a"}]},
 {"call": ["Bash", {"command": "make never", "description": "d"}]},
 {"call": ["Bash", {"command": "make hooked", "description": "d"}]},
 {"call": ["Bash", {"command": "false", "description": "d"}]},
 {"text": "done"}]
END
mkdir .claude
cat >.claude/settings.json <<'END'
{"permissions": {"deny": ["Bash(make never)"], "allow": ["Bash(false)", "Bash(make hooked)"]},
 "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
   {"type": "command", "command": "grep -q hooked && { echo not today >&2; exit 2; } || exit 0"}]}]}}
END
alone ANTHROPIC_BASE_URL="$MODEL" ANTHROPIC_API_KEY=none CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
  DISABLE_AUTOUPDATER=1 claude -p 'make' --output-format json >"$WORK/log"
python3 - "$HOME" "$PWD" >"$WORK/seen" <<'PYTHON'
import json, pathlib, sys

home, folder = sys.argv[1:]
(path,) = pathlib.Path(home, ".claude/projects").glob("*/*.jsonl")
for line in map(json.loads, path.read_text().splitlines()):
    content = line["message"]["content"] if line["type"] == "user" else ""
    if isinstance(content, list):
        print(content[0]["is_error"], content[0]["content"].strip().replace(folder, "FOLDER"))
        print("  ", line.get("toolDenialKind"), (line.get("permissionDecision") or {}).get("source"))
PYTHON
seen <<'END'
True This command requires approval
   user-rejected config
True Claude requested permissions to write to FOLDER/made.txt, but you haven't granted it yet.
   user-rejected config
True Permission to use Bash with command make never has been denied.
   permission-rule config
True PreToolUse:Bash hook error: [grep -q hooked && { echo not today >&2; exit 2; } || exit 0]: not today
   permission-rule hook
True Exit code 1
   None config
END
