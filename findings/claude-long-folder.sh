#!/usr/bin/env bash
# Package: npm @anthropic-ai/claude-code
# Version: 2.1.332
# Guess: the folder of a project's sessions is named by the whole path, with "-" for other characters
# Behaviour: of a path of more than 200 characters, the name has the first 200 and a short digest;
#   only `cwd` in the lines has the path
# Relies: plugins/unlatch_agents/transcripts/find.py
# Test: tests/unlatch_agents/transcripts/test_find.py::test_the_folder_of_a_session_is_that_of_its_lines
source "$(dirname "$0")/common.sh"
npm_install @anthropic-ai/claude-code@2.1.332
PATH="$(dirname "$WORK"/npm/node_modules/@anthropic-ai/claude-code-*/claude):$PATH"
project
model <<'END'
[{"text": "one"}]
END
deep="$PWD$(printf '/a-folder-of-a-large-tree%.0s' 1 2 3 4 5 6 7 8 9)"
mkdir -p "$deep"
cd "$deep"
alone ANTHROPIC_BASE_URL="$MODEL" ANTHROPIC_API_KEY=none CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
  DISABLE_AUTOUPDATER=1 claude -p 'hello' >"$WORK/log"
python3 - "$HOME" "$deep" >"$WORK/seen" <<'PYTHON'
import json, pathlib, re, sys

home, deep = sys.argv[1:]
(path,) = pathlib.Path(home, ".claude/projects").glob("*/*.jsonl")
encoded = re.sub("[^A-Za-z0-9]", "-", deep)
print("as the path up to 200:", path.parent.name[:200] == encoded[:200])
print("then a digest:", re.fullmatch("-[a-z0-9]{3,9}", path.parent.name[200:]) is not None)
folders = {line["cwd"] for line in map(json.loads, path.read_text().splitlines()) if "cwd" in line}
print("cwd:", folders == {deep})
PYTHON
seen <<'END'
as the path up to 200: True
then a digest: True
cwd: True
END
