#!/usr/bin/env python3
"""What is proven about the order of MPI programs holds in their time stamps, and leaves no message without a partner.

Usage: order.py WEIR ORDER_OF_TRACE
"""
import sys
from pathlib import Path

from common import Checks, installed, run, scratch_directory, trace

CASES = [  # program, ranks, arguments, calls that find no partner
    ("stencil2d", 4, [2, 2, 20], 0),
    ("checkpoint", 3, [3], 0),
    ("every_call", 2, [], 2),  # a receive of each rank is cancelled
    ("threads", 2, [], 0),
    ("cg", 4, [5], 0),
    ("mg", 4, [3], 0),
    ("lu", 4, [5], 0),
    ("ft", 4, [3], 0),
    ("bt", 4, [3], 0),
    ("sp", 4, [3], 0),
]


def main():
    weir = Path(sys.argv[1]).resolve()
    tool = Path(sys.argv[2]).resolve()
    checks = Checks()
    for mpi in installed():
        with scratch_directory() as directory:
            for name, ranks, arguments, alone in CASES:
                what = f"{mpi.name} {name}"
                out = Path(directory) / f"{name}.trace"
                ran = trace(weir, out, mpi.start(ranks, mpi.build(name, directory), *arguments), cwd=directory)
                if not checks.equal(f"{what} runs", ran.returncode, 0):
                    continue
                told = run([tool, out])
                facts = dict(line.split(" ", 1) for line in told.stdout.decode().splitlines() if " " in line)
                checks.equal(f"{what}: its times agree", (told.returncode, facts.get("wrong")), (0, "0"))
                checks.equal(f"{what}: calls without a partner", facts.get("unmatched"), str(alone))
                checks.expect(f"{what}: ranks are ordered", int(facts.get("between_processes", 0)) > 0, told.stdout.decode())
                checks.expect(f"{what}: nothing is left out", "note:" not in facts, facts.get("note:"))
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
