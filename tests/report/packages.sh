#!/usr/bin/env bash
# Puts the browser tests beside the library they drive the browser with. Usage: packages.sh TESTS TO NPM CHROMIUM
# Without a browser, or without the library and a network, the tests are skipped.
set -euo pipefail
tests=$1 to=$2 npm=$3 chromium=$4
mkdir -p "$to"
rm -f "$to/ready"
cp "$tests"/*.js "$tests"/*.json "$tests"/.npmrc "$to"
if [ ! -x "$chromium" ]; then
  echo "no chromium; install chromium, or run scripts/setup test, and configure again"
  exit 0
fi
stamp=$(sha256sum < "$to/package-lock.json")
if [ "$(cat "$to/node_modules/.installed" 2> /dev/null)" != "$stamp" ]; then
  if ! (cd "$to" && "$npm" ci --ignore-scripts --no-audit --no-fund --prefer-offline); then
    echo "npm could not install playwright-core: is there a network?"
    exit 0
  fi
  echo "$stamp" > "$to/node_modules/.installed"
fi
touch "$to/ready"
