#!/usr/bin/env python3
"""The recorder that is loaded is the one of the program's own MPI, however the program is started; a job of two MPIs is
refused where that can be seen, and else does what it does bare.

Usage: choosing.py WEIR
"""
import os
import shlex
import sys
from pathlib import Path

from common import Checks, installed, run, scratch_directory, stat, trace


def calls(facts, function):
    return sum(one["calls"] for one in facts["functions"] if one["name"] == function)


def starts(checks, weir, scratch, mpi, program):
    """Through scripts, shells and other programs that start programs: all ranks with their calls of MPI."""
    job = shlex.join(mpi.start(2, program, "uneven"))
    script = scratch / f"run-{mpi.name}.sh"
    script.write_text(f"#!/bin/sh\ncd {shlex.quote(str(scratch))} && {job}\n")
    script.chmod(0o755)
    each = scratch / f"each-{mpi.name}.sh"  # what the ranks are: a script that becomes the program
    each.write_text(f"#!/bin/sh\nexec {shlex.quote(str(program))} uneven\n")
    each.chmod(0o755)
    for what, command in (("a script", [script]), ("sh -c", ["sh", "-c", job]), ("env", ["env", "A=b", *mpi.start(2, program, "uneven")]),
                          ("timeout", ["timeout", "300", *mpi.start(2, program, "uneven")]), ("ranks are scripts", mpi.start(2, each))):
        out = scratch / f"{mpi.name}-{what.replace(' ', '-')}"
        bare, under = run(command), trace(weir, out, command)
        checks.equal(f"{mpi.name}, {what}: exit status", under.returncode, bare.returncode)
        checks.equal(f"{mpi.name}, {what}: output", under.stdout, bare.stdout)
        facts = stat(weir, out)
        checks.equal(f"{mpi.name}, {what}: ranks", facts["ranks"], 2)
        checks.equal(f"{mpi.name}, {what}: nothing lacks", facts["missing_ranks"] + facts["unfinished_ranks"], [])
        checks.equal(f"{mpi.name}, {what}: calls", calls(facts, "MPI_Finalize"), 2)
    out = scratch / f"{mpi.name}-none"
    trace(weir, out, mpi.start(2, program, "uneven"), "--mpi", "none")
    checks.equal(f"{mpi.name}: --mpi none", calls(stat(weir, out), "MPI_Finalize"), 0)


def mixes(checks, weir, scratch, one, other, program):
    """Programs of one MPI under the launcher of another: each is a world of its own."""
    out = scratch / f"{other.name}-starts-{one.name}"
    refused = trace(weir, out, [*other.launcher, "-n", "2", program, "uneven"])
    checks.equal(f"{one.name} under {other.name}: refused", refused.returncode, 3)
    checks.expect(f"{one.name} under {other.name}: why", f"is linked against {one.name}" in refused.stderr.decode(), refused.stderr.decode())
    hidden = [*other.launcher, "-n", "2", "sh", "-c", shlex.join([str(program), "alone"])]
    bare = run(hidden)
    if bare.returncode != 0:
        checks.skip(f"{one.name} in a shell under {other.name}", "does not run bare either")
        return
    under = trace(weir, out, hidden)
    checks.equal(f"{one.name} in a shell under {other.name}: exit status", under.returncode, bare.returncode)
    checks.equal(f"{one.name} in a shell under {other.name}: output", sorted(under.stdout.splitlines()), sorted(bare.stdout.splitlines()))
    checks.equal(f"{one.name} in a shell under {other.name}: calls", calls(stat(weir, out), "MPI_Finalize"), 2)


def main():
    weir = Path(sys.argv[1]).resolve()
    checks = Checks()
    mpis = installed()
    with scratch_directory() as name:
        scratch = Path(name)
        programs = {mpi.name: mpi.build("endings", scratch) for mpi in mpis}
        for mpi in mpis:
            starts(checks, weir, scratch, mpi, programs[mpi.name])
        if len(mpis) == 2:
            mixes(checks, weir, scratch, mpis[0], mpis[1], programs[mpis[0].name])
            mixes(checks, weir, scratch, mpis[1], mpis[0], programs[mpis[1].name])
        else:
            checks.skip("a job of two MPIs", "only one is installed")
    return checks.exit_code()


if __name__ == "__main__":
    os.environ.pop("LD_PRELOAD", None)
    sys.exit(main())
