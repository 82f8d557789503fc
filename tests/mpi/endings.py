#!/usr/bin/env python3
"""Jobs that do not end as MPI wants it: the trace opens, verifies, holds what was done, and names the ranks that left.

Usage: endings.py WEIR
"""
import os
import re
import sys
from pathlib import Path

from common import Checks, installed, run, scratch_directory, stat, trace


def calls(facts, function):
    return sum(one["calls"] for one in facts["functions"] if one["name"] == function)


def check(checks, weir, what, out, done, good):
    checks.expect(f"{what}: exit status {done.returncode}", (done.returncode == 0) == good, done.stderr.decode()[-800:])
    verified = run([weir, "verify", out])
    checks.expect(f"{what}: verifies", verified.returncode == 0, verified.stderr.decode())
    return stat(weir, out)


def main():
    weir = Path(sys.argv[1]).resolve()
    checks = Checks()
    for mpi in installed():
        with scratch_directory() as name:
            scratch = Path(name)
            endings, leaves, worlds = (mpi.build(one, scratch) for one in ("endings", "leaves", "worlds"))

            out = scratch / "killed"
            facts = check(checks, weir, f"{mpi.name}: a rank is killed", out, trace(weir, out, mpi.start(4, endings, "killed")), False)
            checks.equal(f"{mpi.name}: all of its calls are there", calls(facts, "MPI_Sendrecv_replace"), 40)
            checks.equal(f"{mpi.name}: all ranks are there", facts["ranks"], 4)
            checks.expect(f"{mpi.name}: the killed one is named", 1 in facts["unfinished_ranks"], facts["unfinished_ranks"])
            told = run([weir, "stat", out]).stdout.decode()
            checks.expect(f"{mpi.name}: weir stat says it", re.search(r"warning +ranks? .*did not come to MPI_Finalize", told), told[:900])

            out = scratch / "silent"
            facts = stat(weir, out) if trace(weir, out, mpi.start(4, endings, "silent")) and out.exists() else {}
            checks.equal(f"{mpi.name}: without MPI_Finalize, calls", calls(facts, "MPI_Sendrecv_replace"), 40)
            checks.equal(f"{mpi.name}: without MPI_Finalize, named", facts["unfinished_ranks"], [0, 1, 2, 3])

            out = scratch / "uneven"
            facts = check(checks, weir, f"{mpi.name}: uneven ranks", out, trace(weir, out, mpi.start(4, endings, "uneven")), True)
            checks.equal(f"{mpi.name}: uneven ranks, calls", calls(facts, "MPI_Sendrecv_replace"), 100)
            checks.equal(f"{mpi.name}: calls after MPI_Finalize", calls(facts, "MPI_Finalized"), 4)
            checks.equal(f"{mpi.name}: nothing lacks", facts["missing_ranks"] + facts["unfinished_ranks"], [])

            out = scratch / "abort"
            facts = check(checks, weir, f"{mpi.name}: MPI_Abort", out, trace(weir, out, mpi.start(3, leaves)), False)
            checks.equal(f"{mpi.name}: MPI_Abort is the last call", calls(facts, "MPI_Abort"), 1)

            spawn = mpi.start(2, worlds, "spawn")
            with_sockets = os.environ | {"OMPI_MCA_btl": "self,vader,tcp"}  # how two worlds of Open MPI meet
            if run(spawn, env=with_sockets).returncode != 0:
                checks.skip(f"{mpi.name}: spawned ranks", "this installation cannot start any, traced or not")
            else:
                out = scratch / "spawn"
                facts = check(checks, weir, f"{mpi.name}: spawned ranks", out, trace(weir, out, spawn, env=with_sockets), True)
                checks.expect(f"{mpi.name}: two worlds", facts["ranks"] > 2 and not facts["missing_ranks"], f"{facts['ranks']} {facts['missing_ranks']}")

            # Ranks whose process left nothing at all: its files are gone, as after the loss of a node.
            out = scratch / "lost"
            trace(weir, out, mpi.start(4, endings, "uneven"), "--keep-live")
            live = out / "live"
            number = next(one["pid"] for one in stat(weir, out)["process_list"] if one["rank"] == 2)
            gone = [path for path in live.iterdir() if str(number) in path.name]
            for path in gone:
                path.unlink()
            (out / "trace.weir").unlink()
            merged = run([weir, "merge", out])
            checks.expect(f"{mpi.name}: merges without a rank", gone and merged.returncode == 0, merged.stderr.decode())
            checks.equal(f"{mpi.name}: the lost rank is named", stat(weir, out)["missing_ranks"], [2])
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
