#!/usr/bin/env bash
# Package: npm @anthropic-ai/claude-code
# Version: 2.1.332
# Guess: the second of two `claude -p --resume ID` at once is refused, or goes on in a session of its own
# Behaviour: both end with exit code 0 in one file; the second takes the first's prompt for one without
#   an answer and goes on below it, and the next resume sends nothing of the second's turn
# Relies: plugins/unlatch_agents/transcripts/agents/claude_tree.py
# Test: tests/unlatch_agents/transcripts/test_claude_code.py::test_nothing_is_lost_of_a_session_that_is_resumed_twice_at_once
source "$(dirname "$0")/common.sh"
npm_install @anthropic-ai/claude-code@2.1.332
PATH="$(dirname "$WORK"/npm/node_modules/@anthropic-ai/claude-code-*/claude):$PATH"
project
model <<'END'
[{"text": "one"}, {"text": "two", "after": "third-ended"}, {"text": "three"}, {"text": "four"}]
END
id=11111111-1111-4111-8111-111111111111
ask() { # PROMPT OPTION ID
  local code=0
  alone ANTHROPIC_BASE_URL="$MODEL" ANTHROPIC_API_KEY=none CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
    DISABLE_AUTOUPDATER=1 claude -p "$1" "$2" "$3" --output-format json >"$WORK/$1.json" || code=$?
  echo "$1: exit code $code" >>"$WORK/seen"
}
ask first --session-id "$id"
ask second --resume "$id" &
second=$!
until [ "$(wc -l <"$WORK/asked")" = 2 ]; do sleep 0.1; done
ask third --resume "$id"
touch "$WORK/third-ended"
wait "$second"
ask fourth --resume "$id"
ls "$HOME"/.claude/projects/*/*.jsonl | wc -l >>"$WORK/seen"
python3 - "$WORK/asked" >>"$WORK/seen" <<'PYTHON'
import json, sys

for request in map(json.loads, open(sys.argv[1])):
    said = ((it["role"], it["content"]) for it in request["messages"] if it["role"] != "system")
    print([(role, content if isinstance(content, str) else content[-1]["text"]) for role, content in said])
PYTHON
seen <<'END'
first: exit code 0
third: exit code 0
second: exit code 0
fourth: exit code 0
1
[('user', 'first')]
[('user', 'first'), ('assistant', 'one'), ('user', 'second')]
[('user', 'first'), ('assistant', 'one'), ('user', 'second'), ('assistant', 'No response requested.'), ('user', 'third')]
[('user', 'first'), ('assistant', 'one'), ('user', 'second'), ('assistant', 'two'), ('user', 'fourth')]
END
