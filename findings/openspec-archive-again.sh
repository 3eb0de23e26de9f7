#!/usr/bin/env bash
# Package: npm @fission-ai/openspec
# Version: 1.13.2
# Guess: a change whose MODIFIED requirement was changed by another change since is refused, or at
#   least named, when it is archived
# Behaviour: `archive` replaces the newer text with the older one, and removes a requirement that
#   a later change added again; `validate --strict` passes, exit code 0, no word of it
# Relies: plugins/unlatch_layouts/openspec/advice.py
# Test: tests/increments/layouts/openspec/test_program.py::test_advice_names_what_archiving_again_takes_from_later_changes
source "$(dirname "$0")/common.sh"
npm_install @fission-ai/openspec@1.13.2
project
export OPENSPEC_TELEMETRY=0 OPENSPEC_NO_UPDATE_CHECK=1

requirement() { printf '### Requirement: %s\nThe system SHALL %s.\n\n#### Scenario: Use\n- **THEN** done\n\n' "$1" "$2"; }
change() { # NAME DELTA
  mkdir -p "openspec/changes/$1/specs/auth"
  printf '%s' "$2" >"openspec/changes/$1/specs/auth/spec.md"
  printf '# %s\n\n## Why\nPeople asked for it, and each of them will use it every day from now on.\n\n## What Changes\n- it\n' "$1" >"openspec/changes/$1/proposal.md"
  printf -- '- [x] 1.1 Do it\n' >"openspec/changes/$1/tasks.md"
}
archive() { # NAME
  openspec validate --strict "$1" 2>&1
  openspec archive --yes "$1" 2>&1 | sed -E '/^$/d; s/[0-9]{4}(-[0-9]{2}){2}/DATE/'
}
show() { grep -E '^The system' openspec/specs/auth/spec.md; }

mkdir -p openspec/specs/auth openspec/changes/archive
{
  printf '# auth Specification\n\n## Purpose\nLet people sign in, and keep them signed in.\n\n## Requirements\n\n'
  requirement Login 'ask for a name'
  requirement Logout 'end the session'
} >openspec/specs/auth/spec.md
change old "$(printf '## MODIFIED Requirements\n\n'; requirement Login 'ask for a password')"
change new "$(printf '## MODIFIED Requirements\n\n'; requirement Login 'ask for a passkey')"
change drop "$(printf '## REMOVED Requirements\n\n### Requirement: Logout\n**Reason**: unused\n**Migration**: none\n')"
change back "$(printf '## ADDED Requirements\n\n'; requirement Logout 'end all sessions')"
{
  for name in old new drop back; do archive "$name"; done >"$WORK/first" 2>&1
  show
  echo '--- old and drop again'
  mv openspec/changes/archive/*-old openspec/changes/old
  mv openspec/changes/archive/*-drop openspec/changes/drop
  archive old
  archive drop
  show
} >"$WORK/seen"
seen <<'END'
The system SHALL ask for a passkey.
The system SHALL end all sessions.
--- old and drop again
Change 'old' is valid
Task status: ✓ Complete
Specs to update:
  auth: update
Applying changes to openspec/specs/auth/spec.md:
  ~ 1 modified
Totals: + 0, ~ 1, - 0, → 0
Specs updated successfully.
Change 'old' archived as 'DATE-old'.
Change 'drop' is valid
Task status: ✓ Complete
Specs to update:
  auth: update
Applying changes to openspec/specs/auth/spec.md:
  - 1 removed
Totals: + 0, ~ 0, - 1, → 0
Specs updated successfully.
Change 'drop' archived as 'DATE-drop'.
The system SHALL ask for a password.
END
