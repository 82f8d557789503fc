"""What the drivers of tests/campaign share. Each runs by hand: python3 tests/campaign/X.py WEIR EXAMPLES_DIR [PART...].

Exit codes: 0 all well, 1 something is wrong (each thing on a line that begins with FAILED), 77 nothing could be checked.
"""
import argparse
import csv
import io
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

from checks import Checks, run, scratch_directory  # noqa: E402, F401


def run_parts(description, parts):
    """The whole of a driver: part(weir, examples, checks, scratch) for each, or for those named; its exit code."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("weir", type=lambda text: Path(text).resolve())
    parser.add_argument("examples", type=lambda text: Path(text).resolve())
    parser.add_argument("only", nargs="*")
    given = parser.parse_args()
    checks = Checks()
    for part in parts:
        if given.only and part.__name__ not in given.only:
            continue
        with scratch_directory() as scratch:
            part(given.weir, given.examples, checks, Path(scratch))
    return checks.exit_code()


def rows_of(weir, store):
    """Every run of the newest campaign, as `weir bench export` gives it."""
    exported = run([weir, "bench", "export", store, "--csv", "-"])
    if exported.returncode != 0:
        raise RuntimeError(exported.stderr.decode())
    return list(csv.DictReader(io.StringIO(exported.stdout.decode())))


def answer_of(command):
    """What a command prints with --json."""
    done = run([*command, "--json"])
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def said(done):
    return done.returncode, done.stderr.decode()


def storage_of(scratch):
    storage = scratch / "storage"
    storage.mkdir(exist_ok=True)
    return storage


def built(checks, scratch, source, compiler="cc"):
    program = scratch / source.stem
    done = run([compiler, "-O2", "-o", program, source])
    return program if checks.equal(f"{source.name} compiles", said(done)[0], 0) else None
