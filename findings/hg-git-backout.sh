#!/usr/bin/env bash
# Package: pypi hg-git
# Version: 1.2.0
# Guess: `hg backout` says in the words of git which commit it reverts, or hg-git, which writes the
#   commits for git, at least puts the ids that git has in place of Mercurial's
# Behaviour: "Backed out changeset" and Mercurial's short id, which no commit of the git repository
#   has; only the change itself tells what it reverts
# Relies: plugins/unlatch_regressions/branch/messages.py
# Test: tests/unlatch_regressions/test_history.py::test_what_reverts_a_fix
source "$(dirname "$0")/common.sh"
pip_install mercurial==6.9.5 hg-git==1.2.0 dulwich==0.22.8
project
printf '[ui]\nusername = Dana <dana@example.com>\n[extensions]\nhggit =\n' >"$HOME/.hgrc"
git init -q --bare "$WORK/widgets.git"
hg init "$WORK/widgets"
cd "$WORK/widgets"
{
  echo slow >search.txt
  hg commit -q --addremove -m 'Add search'
  echo fast >search.txt
  hg commit -q -m 'Fix search'
  HGEDITOR=true hg backout -q -r 1
  hg bookmark main
  hg push "$WORK/widgets.git"
} >"$WORK/log" 2>&1
fix=$(hg log -r 1 --template '{node|short}')
{
  git -C "$WORK/widgets.git" log --format=%B main | sed "s/$fix/ID/"
  git -C "$WORK/widgets.git" rev-parse --quiet --verify "$fix^{commit}" || echo "git has no $fix" | sed "s/$fix/ID/"
} >"$WORK/seen"
seen <<'END'
Backed out changeset ID

Fix search

Add search

git has no ID
END
