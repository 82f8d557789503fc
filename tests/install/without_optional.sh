#!/usr/bin/env bash
# A build without MPI, HDF5, UCX, zfp and liburing: one clear line for each, and a program that works.
# Usage: without_optional.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWEIR_WERROR=ON -DBUILD_TESTING=OFF -DWEIR_BENCH=OFF \
  -DWEIR_WITH_MPI=OFF -DWEIR_WITH_HDF5=OFF -DWEIR_WITH_UCX=OFF -DWEIR_WITH_ZFP=OFF -DWEIR_WITH_URING=OFF > "$log"
for package in MPI HDF5 UCX ZFP URING; do
  lines=$(grep -c "weir: .*$package.*left out" "$log" || true)
  [ "$lines" = 1 ] || { cat "$log"; echo "$lines lines about $package, not one"; exit 1; }
done
grep "left out" "$log"
cmake --build "$build" > "$log" || { cat "$log"; exit 1; }
"$build/weir" --version | grep -x 'optional  none'
"$build/weir" doctor --json | python3 -m json.tool > /dev/null
