#!/usr/bin/env bash
# Package: pypi specify-cli
# Version: 1.2.3
# Guess: .specify/feature.json is committed with the feature that it names, so a clone goes on with it
# Behaviour: `specify init` writes a .gitignore with it; in a clone the scripts find no feature, and
#   one that is not in specs/ is named nowhere
# Relies: plugins/unlatch_layouts/spec_kit/layout.py
# Test: tests/cli/layouts/test_units.py::test_a_feature_elsewhere_is_found_in_a_clone_and_after_another_one_became_current
source "$(dirname "$0")/common.sh"
pip_install specify-cli==1.2.3
project
specify init --here --force --non-interactive --integration claude --ignore-agent-tools >"$WORK/log" 2>&1
mkdir -p features/007-billing
printf '# Feature Specification: Billing\n' >features/007-billing/spec.md
printf '# Plan\n' >features/007-billing/plan.md
printf '{"feature_directory":"features/007-billing"}\n' >.specify/feature.json
paths() { # FOLDER
  local code=0
  (cd "$1" && .specify/scripts/bash/check-prerequisites.sh --paths-only) >"$WORK/log" 2>&1 || code=$?
  echo "exit code $code: $(grep -oE 'features/007-billing$|^ERROR: Feature directory not found' "$WORK/log" | sort -u)"
}
{
  paths .
  git add -A
  git commit -q -m billing
  git status --short --ignored
  git clone -q . "$WORK/clone"
  ls "$WORK/clone/features"
  paths "$WORK/clone"
} >"$WORK/seen"
seen <<'END'
exit code 0: features/007-billing
!! .specify/feature.json
007-billing
exit code 1: ERROR: Feature directory not found
END
