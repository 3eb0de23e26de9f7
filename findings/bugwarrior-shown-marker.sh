#!/usr/bin/env bash
# Package: pypi bugwarrior
# Version: 2.1.0
# Guess: the annotation of a task is the text of a comment as GitHub shows it, on one line
# Behaviour: it is the Markdown, whose lines are joined without a blank, cut at 45 characters: an HTML
#   comment is shown, so one at the start is all that there is, and one at the end follows short words
# Relies: plugins/unlatch_github/write.py
# Test: tests/unlatch_github/test_plugin.py::test_a_reopen_costs_four_requests
source "$(dirname "$0")/common.sh"
pip_install bugwarrior==2.1.0
project
touch "$HOME/.taskrc"
cat >"$WORK/try.py" <<'PYTHON'
from bugwarrior.config.schema import MainSectionConfig
from bugwarrior.services.github import GithubConfig, GithubService

main = MainSectionConfig(targets=["widgets"])
config = GithubConfig(service="github", target="widgets", login="dana", username="octo", token="none")
service = GithubService(config, main)
for text in (
    "Reopened: the error handling loses the cause\n\n<!-- marker -->",
    "Reopened: bug\n\n<!-- marker -->",
    "<!-- a marker of some length at the start -->\nReopened: bug",
):
    print(*service.build_annotations([("dana", text)]), sep="\n")
PYTHON
python "$WORK/try.py" >"$WORK/seen"
seen <<'END'
@dana - Reopened: the error handling loses the cause<...
@dana - Reopened: bug<!-- marker -->
@dana - <!-- a marker of some length at the start -->...
END
