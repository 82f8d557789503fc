#!/usr/bin/env bash
# Installs the build into a scratch tree and builds a tiny consumer against it, with CMake and with pkg-config.
# Usage: consumer.sh BUILD CONSUMER_SOURCE
set -euo pipefail
build=$1 source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "install: $*"; exit 1; }

cmake --install "$build" --prefix "$scratch/tree" > "$scratch/log"
expected=$("$scratch/tree/bin/weir" --version | head -1)
for file in bin/weir include/weir/weir.h share/man/man1/weir.1 share/bash-completion/completions/weir \
            share/zsh/vendor-completions/_weir; do
  [ -s "$scratch/tree/$file" ] || fail "$file was not installed"
done
# Nothing installed may point back into the build tree or the source tree.
if grep -rIl -- "$(dirname "$(dirname "$build")")" "$scratch/tree" | grep .; then fail "a file names the build tree"; fi

# Moved afterwards: a package must work from wherever it lies.
mv "$scratch/tree" "$scratch/moved"
tree=$scratch/moved

cmake -S "$source" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$tree" > "$scratch/log" || { cat "$scratch/log"; fail "find_package(weir) failed"; }
cmake --build "$scratch/consumer" > "$scratch/log" || { cat "$scratch/log"; fail "the CMake consumer does not build"; }
said=$("$scratch/consumer/consumer")
[ "weir $said" = "$expected" ] || fail "the CMake consumer says '$said', not '$expected'"

pc=$(find "$tree" -name weir.pc)
export PKG_CONFIG_PATH=${pc%/*}
# shellcheck disable=SC2046
cc "$source/consumer.c" $(pkg-config --cflags --libs weir) -o "$scratch/by-pkg-config"
said=$(LD_LIBRARY_PATH=$(pkg-config --variable=libdir weir) "$scratch/by-pkg-config")
[ "weir $said" = "$expected" ] || fail "the pkg-config consumer says '$said', not '$expected'"

# The library shows its public names and nothing else.
names=$(nm -D --defined-only "$(find "$tree" -name 'libweir.so.*.*')" | awk '$2 ~ /[TDB]/ {print $3}' | grep -v '^weir_' || true)
[ -z "$names" ] || fail "libweir exports $names"
echo "installed, moved, built with CMake and pkg-config: $expected"
