#!/usr/bin/env bash
# Package: npm @anthropic-ai/claude-code
# Version: 2.1.332
# Guess: the result of a command in the background has its exit code once that is known, and a command
#   that reaches its timeout is ended and has failed
# Behaviour: a command that reaches its timeout goes on in the background, too; the result of both says
#   is_error false and is not written again: that it failed, and its exit code, are in a notice in
#   queue-operation and attachment lines alone, which names the call
# Relies: plugins/unlatch_agents/transcripts/agents/claude_lines.py
# Test: tests/unlatch_agents/transcripts/test_claude_code.py::test_call_that_fails_in_the_background_has_failed
source "$(dirname "$0")/common.sh"
npm_install @anthropic-ai/claude-code@2.1.332
PATH="$(dirname "$WORK"/npm/node_modules/@anthropic-ai/claude-code-*/claude):$PATH"
project
model <<'END'
[{"call": ["Bash", {"command": "sleep 1; exit 3", "description": "begun", "run_in_background": true}]},
 {"call": ["Bash", {"command": "until [ -e go ]; do sleep 0.1; done; exit 4", "description": "slow", "timeout": 2000}]},
 {"call": ["Bash", {"command": "touch go; sleep 3", "description": "wait"}]},
 {"text": "done"}]
END
alone ANTHROPIC_BASE_URL="$MODEL" ANTHROPIC_API_KEY=none CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
  DISABLE_AUTOUPDATER=1 claude -p 'make' --allowedTools Bash >"$WORK/log"
python3 - "$HOME" >"$WORK/seen" <<'PYTHON'
import json, pathlib, re, sys

(path,) = pathlib.Path(sys.argv[1], ".claude/projects").glob("*/*.jsonl")
calls, notices = {}, set()
for line in map(json.loads, path.read_text().splitlines()):
    content = line.get("message", {}).get("content")
    for part in content if isinstance(content, list) else ():
        if part["type"] == "tool_use":
            calls[part["id"]] = part["input"]["description"]
        elif part["type"] == "tool_result":
            print(calls[part["tool_use_id"]], part["is_error"], "backgroundTaskId" in line["toolUseResult"])
    notice = line.get("content") or line.get("attachment", {}).get("prompt")
    if isinstance(notice, str) and notice.startswith("<task-notification>"):
        call, status, summary = re.findall("<(?:tool-use-id|status|summary)>(.*)</", notice)
        notices.add(f"{line['type']}: {calls[call]}, {status}, {summary}")
print(*sorted(notices), sep="\n")
PYTHON
seen <<'END'
begun False True
slow False True
wait False False
attachment: begun, failed, Background command "begun" failed with exit code 3
attachment: slow, failed, Background command "slow" failed with exit code 4
queue-operation: begun, failed, Background command "begun" failed with exit code 3
queue-operation: slow, failed, Background command "slow" failed with exit code 4
END
