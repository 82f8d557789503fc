#!/usr/bin/env bash
# Runs one file of tests where packages.sh put it; exit 77 (skipped) when it could not. Usage: run.sh DIR NODE FILE
set -euo pipefail
dir=$1 node=$2 file=$3
[ -e "$dir/ready" ] || { echo "the browser tests are not ready: see the test report-packages"; exit 77; }
cd "$dir"
exec "$node" "$file"
