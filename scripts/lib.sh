# shellcheck shell=bash
# Shared by the scripts of this directory; not run by itself.

# quietly WHAT COMMAND...: one line with the time it took; the output only when it fails.
quietly() {
  local what=$1 log start
  shift
  log=$(mktemp)
  start=$SECONDS
  if "$@" > "$log" 2>&1; then
    [ $((SECONDS - start)) -lt 2 ] || printf '%-34s %4d s\n' "$what" $((SECONDS - start))
    rm -f "$log"
  else
    local status=$?
    cat "$log"
    rm -f "$log"
    echo "failed: $what" >&2
    return $status
  fi
}

# build PRESET [TARGET...]: configures once, then builds what changed.
build() {
  local preset=$1
  shift
  [ -f "build/$preset/build.ninja" ] || quietly "configure $preset" cmake --preset "$preset"
  quietly "build $preset" cmake --build --preset "$preset" ${1:+--target "$@"}
}
