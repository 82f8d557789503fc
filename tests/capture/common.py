"""What the drivers of tests/capture share. Each runs by hand: python3 tests/capture/X.py WEIR PROGRAMS_DIR [options].

Exit codes: 0 all well, 1 something is wrong (each thing on a line that begins with FAILED), 77 nothing could be checked.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

from checks import SKIPPED, Checks, run, scratch_directory  # noqa: E402, F401


def arguments(description, *options):
    """Parses WEIR, PROGRAMS_DIR and the options: pairs of a flag and the keywords of add_argument."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("weir", type=lambda text: Path(text).resolve())
    parser.add_argument("programs", type=lambda text: Path(text).resolve())
    for flag, keywords in options:
        parser.add_argument(flag, **keywords)
    return parser.parse_args()


def run_parts(description, parts, call):
    """The whole of a driver: call(part, given, checks, scratch) for each part, or for those named; its exit code."""
    given = arguments(description, ("only", dict(nargs="*")))
    checks = Checks()
    for part in parts:
        if given.only and part.__name__ not in given.only:
            continue
        with scratch_directory() as scratch:
            call(part, given, checks, Path(scratch))
    return checks.exit_code()


def trace(weir, out, command, *options, **keywords):
    """Runs the command under `weir trace`; the result is weir's own."""
    return run([weir, "trace", "--out", out, *options, "--", *command], **keywords)


def dump(weir, trace_directory, *options):
    """The header and the records of a trace, as `weir dump --json` gives them. Records come one by one."""
    command = [str(weir), "dump", str(trace_directory), "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        header = process.stdout.readline()
        if not header:
            raise RuntimeError(f"{' '.join(command)}: {process.stderr.read().decode().strip()}")
        yield json.loads(header)
        for line in process.stdout:
            yield json.loads(line)
        if process.wait() != 0:
            raise RuntimeError(f"{' '.join(command)}: exit {process.returncode}: {process.stderr.read().decode().strip()}")


def records_of(weir, trace_directory, *options):
    """All records as a list, header left out."""
    found = dump(weir, trace_directory, *options)
    next(found)
    return list(found)


def verify(weir, trace_directory):
    """What is wrong with the trace according to `weir verify`; empty if nothing is."""
    done = run([weir, "verify", trace_directory])
    return "" if done.returncode == 0 else f"exit {done.returncode}: {(done.stdout + done.stderr).decode().strip()}"


def descriptor(value):
    """The number of a descriptor argument or result, whether its file is known or not."""
    return value["descriptor"] if isinstance(value, dict) else value


def skip_all(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)
