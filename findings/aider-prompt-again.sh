#!/usr/bin/env bash
# Package: pypi aider-chat
# Version: 0.86.2
# Guess: a prompt is in the history once, and each of its lines has "#### " in front
# Behaviour: `--message` stands before it in the line of the program's arguments, too, of which further
#   lines have no mark, like the model's words; `/ask words` is followed by the words as a prompt of
#   their own; only two blanks at the end tell "#### " of the person from that of the model
# Relies: plugins/unlatch_agents/transcripts/agents/aider.py
# Test: tests/unlatch_agents/transcripts/test_aider.py::test_words_are_those_of_their_writer_and_count_once
source "$(dirname "$0")/common.sh"
pip_install aider-chat==0.86.2
project
model <<'END'
[{"text": "Look:\n\n#### Plan\n\n> quoted\n\nend"}, {"text": "A test."}]
END
ask() { # MESSAGE
  alone OPENAI_API_BASE="$MODEL/v1" OPENAI_API_KEY=none aider --no-analytics --no-check-update \
    --no-show-release-notes --no-show-model-warnings --no-git --yes-always --model openai/scripted \
    --message "$1" >"$WORK/log" 2>&1
}
ask $'Fix it\n\nand test it'
ask '/ask what is it'
grep -v -e '^$' -e '^# aider' -e '^> Detected' -e '^> .*: ' -e '^> Aider' .aider.chat.history.md |
  sed -E 's/^> .*(--message)/> ... \1/; s/  $/~~/' >"$WORK/seen"
seen <<'END'
> ... --message Fix it
and test it~~
#### Fix it~~
#### ~~
#### and test it~~
Look:
#### Plan
> quoted
end
> ... --message /ask what is it~~
#### /ask what is it~~
#### what is it~~
A test.
END
