# Sourced by each finding: a folder and a home of its own, pinned packages, a scripted model, and
# the comparison. Exit 1: the tool behaves otherwise than recorded; 2: it could not be installed.
set -euo pipefail
WORK=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$WORK"' EXIT

cannot_run() {
  echo "not installed: $1" >&2
  exit 2
}

# npm_install PACKAGE@VERSION...: without their scripts.
npm_install() {
  npm install --prefix "$WORK/npm" --ignore-scripts --no-audit --no-fund --loglevel=error \
    "$@" >"$WORK/install.log" 2>&1 || cannot_run "$* ($(tail -n 1 "$WORK/install.log"))"
  PATH="$WORK/npm/node_modules/.bin:$PATH"
}

# pip_install PACKAGE==VERSION...
pip_install() {
  { python3 -I -m venv "$WORK/venv" && "$WORK/venv/bin/python" -I -m pip install --quiet "$@"; } \
    >"$WORK/install.log" 2>&1 || cannot_run "$* ($(tail -n 1 "$WORK/install.log"))"
  PATH="$WORK/venv/bin:$PATH"
}

# project: an empty git repository as the current folder, and an empty home.
project() {
  mkdir -p "$WORK/home" "$WORK/project"
  export HOME="$WORK/home" NO_COLOR=1 DO_NOT_TRACK=1 TZ=UTC LC_ALL=C.UTF-8
  export GIT_AUTHOR_NAME=Dana GIT_AUTHOR_EMAIL=dana@example.com
  export GIT_COMMITTER_NAME=Dana GIT_COMMITTER_EMAIL=dana@example.com
  cd "$WORK/project"
  git init -q -b main .
  git commit -q --allow-empty -m begin
}

# seen <<END ... END: compare what stands in $WORK/seen with what was recorded.
seen() {
  cat >"$WORK/recorded"
  diff -u --label recorded --label now "$WORK/recorded" "$WORK/seen" >&2 || exit 1
  cat "$WORK/seen"
}
