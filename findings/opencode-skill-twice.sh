#!/usr/bin/env bash
# Package: npm opencode-ai
# Version: 1.18.33
# Guess: a skill of the project comes before one of the same name in the home folder, and one of
#   .agents or of its own before one of .claude
# Behaviour: of the skills of one name in all these folders the model is offered a single one, by chance:
#   the same folders give another one at another start
# Relies: plugins/unlatch_agents/install/catalog.py
# Test: tests/cli/agents/test_several_agents.py::test_skills_are_the_same_for_all_agents
source "$(dirname "$0")/common.sh"
npm_install opencode-ai@1.18.33
PATH="$(dirname "$WORK"/npm/node_modules/opencode-*/bin/opencode | sort | head -n 1):$PATH"
project
model <<'END'
[]
END
mkdir -p "$HOME/.config/opencode"
cat >"$HOME/.config/opencode/opencode.json" <<END
{"autoupdate": false, "share": "disabled", "model": "local/scripted", "small_model": "local/scripted",
 "provider": {"local": {"npm": "@ai-sdk/openai-compatible", "name": "local",
   "options": {"baseURL": "$MODEL/v1", "apiKey": "none"},
   "models": {"scripted": {"name": "scripted", "tool_call": true, "limit": {"context": 100000, "output": 4000}}}}}}
END
for place in "$HOME/.agents" "$HOME/.claude" .agents .claude; do
  mkdir -p "$place/skills/demo"
  printf -- '---\nname: demo\ndescription: it is from %s.\n---\nDo it.\n' "${place/$HOME/HOME}" >"$place/skills/demo/SKILL.md"
done
for _ in $(seq 30); do
  alone opencode run 'hello' >"$WORK/log" 2>&1
  grep -o 'it is from [A-Za-z./]*' "$WORK/asked" | sort -u | tee -a "$WORK/offered" | wc -l >>"$WORK/counts"
  rm "$WORK/asked"
  [ "$(sort -u "$WORK/offered" | wc -l)" = 1 ] || break
done
{
  echo "skills that each start offers: $(sort -u "$WORK/counts")"
  [ "$(sort -u "$WORK/offered" | wc -l)" = 1 ] || echo "not the same one at each start"
} >"$WORK/seen"
seen <<'END'
skills that each start offers: 1
not the same one at each start
END
