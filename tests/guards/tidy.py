#!/usr/bin/env python3
"""clang-tidy-16 is clean on every source of compile_commands.json. Usage: tidy.py ROOT BUILD [FILE...]

Without WEIR_LONG_TESTS it stops after ten minutes (TIDY_SECONDS) and says how many files are left: a machine that
remembers nothing would need an hour for all of them. Those changed last come first.
With WEIR_LONG_TESTS set, or files named, also the unit tests, the tiny programs of tests/preload and the static
analyzer: together they take several times as long as the rest.
A file that passed is not checked again until it, a project header it includes, its flags or .clang-tidy
change: what passed is remembered by hash in the user's cache directory, for every clone.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

root, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
wanted = sys.argv[3:]
thorough = bool(wanted or os.environ.get("WEIR_LONG_TESTS"))
seconds = float("inf") if thorough else float(os.environ.get("TIDY_SECONDS") or 600)
tool = shutil.which("clang-tidy-16")
if tool is None:
    print("skipped: clang-tidy-16 is missing; scripts/setup test installs it")
    sys.exit(77)


def headers_by_object():
    """What each object was made from, as ninja learnt it from the compiler; project files only."""
    deps, current = defaultdict(list), None
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True).stdout
    for line in listing.splitlines():
        if line and not line[0].isspace():
            current = line.split(":")[0]
        elif line.strip():
            path = Path(build, line.strip())
            if root in path.parents:
                deps[current].append(path)
    return deps


def fingerprint(entry, deps):
    state = hashlib.sha256()
    state.update((root / ".clang-tidy").read_bytes() + bytes([thorough]))
    state.update(entry["command"].replace(str(build), "BUILD").replace(str(root), "ROOT").encode())
    made = re.search(r" -o (\S+)", entry["command"])
    for path in sorted({Path(entry["file"]), *deps.get(made.group(1) if made else "", ())}):
        state.update(os.path.relpath(path, root).encode())
        if path.exists():
            state.update(path.read_bytes())
    return state.hexdigest()


entries = []
for entry in json.loads((build / "compile_commands.json").read_text()):
    path = Path(entry["file"])
    own = root in path.parents and build not in path.parents
    own = own and (thorough or not (path.name.endswith("_test.cpp") or "programs" in path.parts))
    if own and (not wanted or any(str(path).endswith(name) for name in wanted)):
        entries.append(entry)
deps = headers_by_object()
cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "weir")
cache.mkdir(parents=True, exist_ok=True)
record = cache / "tidy.passed"
passed = set(record.read_text().split()) if record.exists() else set()
todo = {}
for entry in entries:
    key = fingerprint(entry, deps)
    if key not in passed or wanted:
        todo.setdefault(entry["file"], key)


def by_last_change():
    """{file: how many commits ago it changed}; others are older."""
    listing = subprocess.run(["git", "-C", str(root), "log", "-n", "400", "--format=%x00", "--name-only"], capture_output=True, text=True).stdout
    ages = {}
    for age, commit in enumerate(listing.split("\0")):
        for name in commit.split():
            ages.setdefault(str(root / name), age)
    return ages


ages = by_last_change()
todo = dict(sorted(todo.items(), key=lambda item: ages.get(item[0], len(ages))))
deadline = time.monotonic() + seconds


def check(item):
    file, key = item
    if time.monotonic() > deadline:
        return file, key, None, ""
    # GCC's own warning flags are unknown to Clang; headers of the project are reported, the system's are not.
    checks = [] if thorough else ["--checks=-clang-analyzer-*"]
    done = subprocess.run([tool, "--quiet", "-p", str(build), "--extra-arg=-Wno-unknown-warning-option", *checks,
                           f"--header-filter={root}/(src|include|tests|bench)/", file], capture_output=True, text=True)
    return file, key, done.returncode, done.stdout


failures = left = 0
with ThreadPoolExecutor(max_workers=2) as pool, open(record, "a") as remember:
    for file, key, status, said in pool.map(check, todo.items()):
        if status is None:
            left += 1
        elif status == 0:
            remember.write(key + "\n")
            remember.flush()
        else:
            failures += 1
            print(said.strip(), flush=True)
print(f"{len(entries)} files, {len(todo) - left} checked now, {failures} with findings")
if left:
    print(f"{left} files were not reached; scripts/test --long, or another run, goes on with them")
sys.exit(1 if failures else 0)
