#!/usr/bin/env bash
# Run README's two commands as on a fresh machine: in a clean clone of this repository, with a clean
# HOME and nothing of the environment but PATH and the settings for proxies, certificates and
# package indexes, if there are any.
#
#     tools/fresh_machine.sh [TARGET]...    (demo and test, unless others are named)
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone --quiet "$here" "$folder/unlatch"
mkdir "$folder/home"
kept=()
while IFS= read -r name; do
  kept+=("$name=${!name}")
done < <(compgen -e | grep -Ei '^((https?|no|all)_proxy|pip_.*|npm_config_.*|.*(ssl_cert|ca_bundle|ca_certs|cainfo).*)$')
cd "$folder/unlatch"
[ $# -gt 0 ] || set -- demo test
for target in "$@"; do
  echo "make $target"
  time env -i "PATH=$PATH" "HOME=$folder/home" LANG=C.UTF-8 "${kept[@]}" make "$target" </dev/null
done
