#!/usr/bin/env python3
"""A trace holds the stdio calls a program says it made: function, arguments, result and errno, in order.

Usage: stdio.py WEIR PROGRAMS_DIR

The program writes its own log by system calls, as strace cannot see stdio. Streams are compared by their descriptors.
"""
import json
import sys
from pathlib import Path

from common import Checks, arguments, descriptor, records_of, scratch_directory, trace, verify


def as_logged(record, names):
    """A record in the shape of a line of the log: the logged arguments only, streams as numbers."""
    values = {name: descriptor(record["arguments"].get(name)) for name in names}
    return {"function": record["function"], "arguments": values, "result": descriptor(record["result"]),
            "errno": record["errno"]}


def main():
    given = arguments(__doc__)
    checks = Checks()
    with scratch_directory() as scratch:
        scratch = Path(scratch)
        done = trace(given.weir, scratch / "trace", [given.programs / "stdio_log", scratch / "log"], cwd=scratch)
        checks.equal("the program ran", done.returncode, 0)
        problem = verify(given.weir, scratch / "trace")
        checks.expect("the trace verifies", not problem, problem)
        wanted = [json.loads(line) for line in (scratch / "log").read_text().splitlines()]
        records = records_of(given.weir, scratch / "trace")
        checks.equal("as many calls as were made", len(records), len(wanted))
        different = 0
        for at, (record, line) in enumerate(zip(records, wanted)):
            seen = as_logged(record, line["arguments"])
            if seen != line:
                different += 1
                checks.equal(f"call {at}", seen, line)
        checks.equal(f"all of {len(wanted)} calls are as made", different, 0)
        functions = {line["function"] for line in wanted}
        checks.expect("every function of interest was called", functions >= {
            "fopen", "fread", "fwrite", "fseek", "ftell", "fgets", "fputs", "fprintf", "fflush", "getline", "setvbuf",
            "freopen", "tmpfile", "fclose"}, str(sorted(functions)))
        moved = [r["moved_bytes"] for r in records if r["function"] == "fputs" and r["result"] != -1]
        lengths = [r["arguments"]["buf"] for r in records if r["function"] == "fputs" and r["result"] != -1]
        checks.equal("fputs moves as many bytes as its text has", moved, lengths)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
