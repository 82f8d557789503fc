#!/usr/bin/env python3
"""MPI programs do the same traced as bare, and the trace holds exactly the calls that a library of counters saw.

Usage: programs.py WEIR
"""
import csv
import io
import os
import re
import sys
from collections import Counter
from pathlib import Path

import counters
from common import Checks, installed, run, scratch_directory, stat, trace

CASES = [  # program, ranks, arguments
    ("stencil2d", 4, [2, 2, 20]),
    ("stencil3d", 4, [2, 2, 1, 5]),
    ("offsets", 4, [8]),
    ("checkpoint", 3, [3]),
    ("every_call", 2, []),
    ("unread", 4, []),
    ("persistent", 2, []),
    ("threads", 2, []),
    ("pending", 2, []),
    ("long_lists", 2, []),
    ("cg", 4, [5]),
    ("mg", 4, [3]),
    ("lu", 4, [5]),
    ("ft", 4, [3]),
    ("bt", 4, [3]),
    ("sp", 4, [3]),
]
# How often these are called depends on the moment.
POLLING = {"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe", "MPI_Improbe", "MPI_Win_test",
           "MPI_Request_get_status", "MPI_Waitsome", "MPI_Wtime"}
# Called in functions that the library calls back, which are not recorded; and by MPICH for itself.
NOT_COUNTED = {"MPI_Status_set_elements", "MPI_Status_set_elements_x", "MPI_Status_set_cancelled", "MPI_Type_free_keyval"}

csv.field_size_limit(1 << 24)  # lists of requests are long


def recorded(weir, directory, known):
    """What the trace holds: {pid: {function: calls}} of the functions in `known`."""
    rows = csv.DictReader(io.StringIO(run([weir, "dump", directory, "--csv"], check=True).stdout.decode()))
    found = {}
    for row in rows:
        if row["function"] in known:
            found.setdefault(int(row["pid"]), Counter())[row["function"]] += 1
    return {pid: dict(calls) for pid, calls in found.items()}


def lines(output):
    return sorted(output.splitlines())


def too_long(checks, weir, mpi, scratch):
    """Lists that are longer than is kept: the call is there, and every reader says that something lacks."""
    binary, out, what = mpi.build("long_lists", scratch), scratch / "too_long.trace", f"{mpi.name}, lists too long"
    under = trace(weir, out, mpi.start(1, binary, 40000))
    checks.equal(f"{what}: exit status", under.returncode, 0)
    word = "too long to be kept whole"
    checks.expect(f"{what}: weir trace says it", word in under.stderr.decode(), under.stderr.decode()[-800:])
    waits = run([weir, "dump", out, "--function", "MPI_Waitall", "--columns", "call"], check=True).stdout.decode()
    checks.equal(f"{what}: the call", waits.strip(), "MPI_Waitall(80000, …, …) = 0")
    checks.expect(f"{what}: weir stat says it", any(word in one for one in stat(weir, out)["warnings"]), stat(weir, out)["warnings"])
    verified = run([weir, "verify", out])
    checks.expect(f"{what}: weir verify says it", verified.returncode == 0 and word in verified.stdout.decode(), verified.stdout.decode())
    for command in (["check", out], ["proxy", out, "--out", scratch / "too_long.cpp"]):
        told = run([weir, *command]).stderr.decode()
        checks.expect(f"{what}: weir {command[0]} says it", word in told, told)


def some_layers(checks, weir, mpi, scratch):
    """Layers that are left out neither add to the others nor are missed by them."""
    binary, here = mpi.build("pending", scratch), scratch / "layers"
    here.mkdir()
    for layers in ("posix", "mpiio"):
        out, what = scratch / f"{layers}.trace", f"{mpi.name}, {layers} only"
        under = trace(weir, out, mpi.start(2, binary), "--layers", layers, cwd=here)
        checks.equal(f"{what}: exit status", under.returncode, 0)
        facts = stat(weir, out)
        checks.equal(f"{what}: nothing inside others", facts["called_inside"], [])
        checks.expect(f"{what}: all ranks ended", not facts["missing_ranks"] and not facts.get("unfinished_ranks"), facts)
    started = run([weir, "dump", out, "--function", "MPI_File_iwrite_at", "--columns", "call"], check=True).stdout.decode()
    numbers = {int(one.split("request#")[1].split(")")[0].split(",")[0]) for one in started.splitlines()}
    checks.expect(f"{mpi.name}: requests waited for are over", numbers and all(one % 4096 == 0 for one in numbers), numbers)


def main():
    weir = Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:]
    checks = Checks()
    for mpi in installed():
        with scratch_directory() as name:
            scratch = Path(name)
            library, known = counters.build_mpi(mpi.compiler, scratch)
            known -= POLLING | NOT_COUNTED
            for program, ranks, arguments in CASES:
                if wanted and program not in wanted:
                    continue
                binary = mpi.build(program, scratch)
                what = f"{mpi.name} {program}"
                bare_in, traced_in = scratch / f"{program}-bare", scratch / f"{program}-traced"
                bare_in.mkdir(), traced_in.mkdir()
                command = mpi.start(ranks, binary, *arguments)
                bare = run(command, cwd=bare_in)
                checks.equal(f"{what}: runs bare", bare.returncode, 0)
                out = scratch / f"{program}.trace"
                under = trace(weir, out, command, cwd=traced_in, env=os.environ | {"LD_PRELOAD": str(library)})
                if not checks.equal(f"{what}: exit status", under.returncode, bare.returncode):
                    print(under.stdout.decode()[-2000:], under.stderr.decode()[-4000:])
                    continue
                checks.equal(f"{what}: output", lines(under.stdout), lines(bare.stdout))
                names = {path.name for path in traced_in.iterdir() if not path.name.startswith("mpi.")}
                checks.equal(f"{what}: files", names, {path.name for path in bare_in.iterdir()})
                for path in bare_in.iterdir():
                    if path.is_file():
                        # Which rank comes first at a shared pointer is left to the moment: there only the bytes count.
                        order = sorted if "shared" in path.name else bytes
                        checks.expect(f"{what}: {path.name}", order(path.read_bytes()) ==
                                      order((traced_in / path.name).read_bytes()), "differs")
                seen = counters.counted(traced_in, "mpi", known)
                checks.equal(f"{what}: ranks that counted", len(seen), ranks)
                checks.equal(f"{what}: calls of every rank", recorded(weir, out, known), seen)
                verified = run([weir, "verify", out])
                checks.equal(f"{what}: verify", verified.returncode, 0)
                if program == "persistent":
                    waits = run([weir, "dump", out, "--rank", 0, "--function", "MPI_Wait", "--columns", "call"], check=True)
                    checks.equal(f"{what}: who sent is known", [line.split("{")[-1].split("}")[0] for line in waits.stdout.decode().splitlines()],
                                 ["1, 5"] * 3)
                if program == "long_lists":
                    waits = run([weir, "dump", out, "--rank", 1, "--function", "MPI_Waitall", "--columns", "call"], check=True).stdout.decode()
                    checks.equal(f"{what}: requests, each once", len(set(re.findall(r"request#\d+", waits))), 20000)
                    checks.equal(f"{what}: who sent what was received", waits.count("0, 7, "), 1250)
            if not wanted or "pending" in wanted:
                some_layers(checks, weir, mpi, scratch)
            if not wanted or "long_lists" in wanted:
                too_long(checks, weir, mpi, scratch)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
