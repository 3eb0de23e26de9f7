#!/usr/bin/env bash
# Package: npm @anthropic-ai/claude-code
# Version: 2.1.332
# Guess: the result of `claude -p --resume` has the tokens and the cost of this run, in all its fields
# Behaviour: `usage` is of the turn, total_cost_usd and modelUsage are of the session since it began, over
#   all processes that resumed it; a fork has a new id and begins with the totals of its origin
# Relies: plugins/unlatch_runs/reducer.py
# Test: tests/unlatch_runs/test_coordinator.py::test_the_totals_of_a_session_count_once_over_workers_and_coordinators
source "$(dirname "$0")/common.sh"
npm_install @anthropic-ai/claude-code@2.1.332
PATH="$(dirname "$WORK"/npm/node_modules/@anthropic-ai/claude-code-*/claude):$PATH"
project
model <<'END'
[{"text": "one", "usage": [1000, 100]}, {"text": "two", "usage": [2000, 200]},
 {"text": "three", "usage": [3000, 300]}]
END
id=11111111-1111-4111-8111-111111111111
ask() { # NAME OPTION...
  alone ANTHROPIC_BASE_URL="$MODEL" ANTHROPIC_API_KEY=none CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
    DISABLE_AUTOUPDATER=1 claude -p "$@" --output-format json >"$WORK/result"
  python3 - "$1" "$WORK/result" >>"$WORK/seen" <<'PYTHON'
import json, sys

result = json.load(open(sys.argv[2]))
models = result["modelUsage"].values()
print(sys.argv[1], result["usage"]["input_tokens"], sum(it["inputTokens"] for it in models), end=" ")
print(round(result["total_cost_usd"], 6))
PYTHON
}
ask first --session-id "$id"
ask second --resume "$id"
ask fork --resume "$id" --fork-session
seen <<'END'
first 1000 1000 0.006
second 2000 3000 0.018
fork 3000 6000 0.036
END
