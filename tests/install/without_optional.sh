#!/usr/bin/env bash
# A build without every optional package: one clear line for each, and a program that works.
# Usage: without_optional.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
packages=$(sed -n 's/^option(WEIR_WITH_\([A-Z0-9]*\) .*/\1/p' "$source/cmake/options.cmake")
# shellcheck disable=SC2086  # one word for each package
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWEIR_WERROR=ON -DBUILD_TESTING=OFF -DWEIR_BENCH=OFF \
  $(printf -- '-DWEIR_WITH_%s=OFF ' $packages) > "$log"
for package in $packages; do
  lines=$(grep -c "weir: WEIR_WITH_$package is OFF, left out" "$log" || true)
  [ "$lines" = 1 ] || { cat "$log"; echo "$lines lines about $package, not one"; exit 1; }
done
grep "left out" "$log"
cmake --build "$build" > "$log" || { cat "$log"; exit 1; }
"$build/weir" --version > "$log"
grep -qx 'optional  none' "$log" || { cat "$log"; echo "its version names optional packages"; exit 1; }
"$build/weir" doctor --json | python3 -m json.tool > /dev/null
