#!/usr/bin/env python3
"""Runs a text of commands and compares what they print. Usage: run.py WEIR FILE.test [--update]

    #requires ../shared/data      skipped, with a line saying so, where that is absent
    # a comment
    $ weir docter                  a shell command; `weir` is the program under test
    weir: no command 'docter'; did you mean doctor
    [2]                            its exit code, if not 0

Output is stdout and stderr together. A line that ends in " (re)" is a regular expression, a line "..."
stands for any number of lines. Commands run in one scratch directory per file; $SHARED is the directory of
the reference measurements. With --update the file is rewritten with what was printed: review the diff.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def matches(expected, actual):
    """Lines against lines, where '...' takes any number of them."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    if not actual:
        return False
    pattern = expected[0][:-5] if expected[0].endswith(" (re)") else None
    same = re.fullmatch(pattern, actual[0]) if pattern is not None else expected[0] == actual[0]
    return bool(same) and matches(expected[1:], actual[1:])


def run(weir, command, scratch, data):
    path = f"{Path(weir).resolve().parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "SHARED": str(data.parent.parent.parent / "shared/data"), "COLUMNS": "100", "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    environment.pop("WEIR_LOG", None)
    done = subprocess.run(["bash", "-c", command], cwd=scratch, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    lines = done.stdout.decode(errors="replace").rstrip().splitlines()
    return lines + ([f"[{done.returncode}]"] if done.returncode else [])


def main(weir, file, update=None):
    file = Path(file)
    root = file.resolve().parent.parent.parent
    text = file.read_text()
    for needed in re.findall(r"^#requires (.*)$", text, re.M):
        if not (root / needed).exists():
            print(f"skipped: {needed} is absent")
            return 77
    blocks = [[]]  # each: the command line, then what is expected; the first holds leading comments
    for line in text.splitlines():
        if line.startswith("$ ") or line.startswith("#"):
            blocks.append([line])
        else:
            blocks[-1].append(line)
    failed, commands, rewritten = 0, 0, []
    with tempfile.TemporaryDirectory() as scratch:
        for block in blocks:
            if not block or not block[0].startswith("$ "):
                rewritten += block
                continue
            commands += 1
            expected = list(block[1:])
            blanks = 0
            while expected and not expected[-1]:
                expected.pop()
                blanks += 1
            actual = run(weir, block[0][2:], scratch, file.resolve().parent)
            if matches(expected, actual):
                rewritten += block
                continue
            failed += 1
            rewritten += [block[0], *actual, *[""] * blanks]
            print(f"{file.name}: {block[0]}\n  expected:\n    " + "\n    ".join(expected) + "\n  got:\n    " + "\n    ".join(actual))
    if update == "--update":
        file.write_text("\n".join(rewritten) + "\n")
        print(f"{file.name}: {failed} of {commands} commands rewritten")
        return 0
    print(f"{file.name}: {commands} commands, {failed} failed")
    return 1 if failed or not commands else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
