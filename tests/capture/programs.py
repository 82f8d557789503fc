#!/usr/bin/env python3
"""Real programs give the same output, exit status and files traced and untraced.

Usage: programs.py WEIR PROGRAMS_DIR [SCRIPT...]

The scripts are programs/real_*.sh of tests/preload, where the same is asked of a library that only counts, and of
tests/capture. A line '# needs: A B' names what a script runs; without it installed the script is left out.
"""
import os
import shutil
import stat
import sys
from pathlib import Path

from common import Checks, arguments, run, scratch_directory, trace, verify

HERE = Path(__file__).resolve().parent


def scripts():
    return sorted([*(HERE.parent / "preload" / "programs").glob("real_*.sh"), *(HERE / "programs").glob("real_*.sh")],
                  key=lambda path: path.name)


def needs(script):
    for line in script.read_text().splitlines():
        if line.startswith("# needs:"):
            return line.split(":", 1)[1].split()
    return []


def files_of(directory):
    """Every name below the directory with its kind, mode and content."""
    found = {}
    for folder, folders, files in os.walk(directory):
        for name in folders + files:
            path = Path(folder) / name
            info = path.lstat()
            content = b""
            if stat.S_ISLNK(info.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(info.st_mode):
                content = path.read_bytes()
            found[str(path.relative_to(directory))] = (oct(info.st_mode), content)
    return found


def different(one, other):
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def in_place(scratch, run_there):
    """Both runs see the same path, as some programs write it into files; what is left is moved aside."""
    (scratch / "place").mkdir()
    done = run_there(scratch / "place")
    left = files_of(scratch / "place")
    shutil.rmtree(scratch / "place")
    return done, left


def compare(checks, weir, script):
    name = script.stem
    interpreter = script.open().readline()[2:].split()
    environment = dict(os.environ, PWD="", LC_ALL="C.UTF-8")
    with scratch_directory() as scratch:
        scratch = Path(scratch)
        bare, bare_files = in_place(scratch, lambda place: run([*interpreter, script], cwd=place, env=environment))
        traced, traced_files = in_place(
            scratch, lambda place: trace(weir, scratch / "trace", [*interpreter, script], cwd=place, env=environment))
        checks.equal(f"{name}: same output", traced.stdout.decode(errors="replace"), bare.stdout.decode(errors="replace"))
        checks.equal(f"{name}: same status", traced.returncode, bare.returncode)
        said = [line for line in traced.stderr.decode().splitlines() if not line.startswith("weir trace: ")]
        checks.equal(f"{name}: same complaints", said, bare.stderr.decode().splitlines())
        checks.equal(f"{name}: same {len(bare_files)} files", different(traced_files, bare_files), [])
        problem = verify(weir, scratch / "trace")
        checks.expect(f"{name}: the trace verifies", not problem, problem)
        stat_run = run([weir, "stat", scratch / "trace"])
        checks.equal(f"{name}: weir stat", stat_run.returncode, 0)
        checks.expect(f"{name}: no warnings", b"warning" not in traced.stderr, traced.stderr.decode()[-500:])


def main():
    given = arguments(__doc__, ("only", dict(nargs="*")))
    checks = Checks()
    for script in scripts():
        if given.only and script.stem not in given.only:
            continue
        missing = [tool for tool in needs(script) if not shutil.which(tool)]
        if missing:
            checks.skip(script.stem, f"{', '.join(missing)} is not installed")
            continue
        compare(checks, given.weir, script)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
