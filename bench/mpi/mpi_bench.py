#!/usr/bin/env python3
"""What tracing costs MPI programs: a call, a run of IOR's kind, LAMMPS, the merge at the end, and what of it is done in
MPI_Finalize.

Usage: mpi_bench.py WEIR [--rounds 5]

Bare and traced runs take turns in the same run; medians. A call is measured in processor time, a run by the clock.
"""
import argparse
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tests" / "mpi"))
from common import installed, run, scratch_directory, stat, trace  # noqa: E402
from libraries import LAMMPS  # noqa: E402


def build(mpi, name, directory):
    program = directory / f"{name}.{mpi.name}"
    subprocess.run([mpi.compiler, "-O2", "-o", program, HERE / f"{name}.c"], check=True)
    return program


def figure(done):
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    return float(done.stdout.split()[0])


def in_turns(weir, scratch, command, rounds, measure):
    """Medians of bare and traced runs."""
    bare, traced = [], []
    for _ in range(rounds):
        shutil.rmtree(scratch / "t", ignore_errors=True)
        bare.append(measure(lambda: run(command, cwd=scratch)))
        traced.append(measure(lambda: trace(weir, scratch / "t", command, cwd=scratch)))
    return statistics.median(bare), statistics.median(traced)


def seconds(work):
    begin = time.monotonic()
    done = work()
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    return time.monotonic() - begin


def calls(weir, scratch, mpi, rounds):
    bare, traced = in_turns(weir, scratch, mpi.start(1, build(mpi, "self_messages", scratch)), rounds, lambda work: figure(work()))
    print(f"{mpi.name:8} a call: {bare:6.0f} ns bare, {traced:6.0f} traced, {traced - bare:5.0f} added, ratio {traced / bare:.2f}", flush=True)


def blocks(weir, scratch, mpi, rounds):
    program = build(mpi, "blocks", scratch)
    for how in ("posix", "mpiio"):
        for ranks in (4, 8):
            bare, traced = in_turns(weir, scratch, mpi.start(ranks, program, 256, 1 << 18, how), rounds, lambda work: figure(work()))
            print(f"{mpi.name:8} blocks, {how}, {ranks} ranks: {bare:6.3f} s bare, {traced:6.3f} traced, ratio {traced / bare:.3f}", flush=True)


def lammps(weir, scratch, mpi, rounds):
    if mpi.name != "openmpi" or not shutil.which("lmp"):
        return
    (scratch / "in.lj").write_text(LAMMPS.format(style="atom").replace("0 4 0 4 0 4", "0 12 0 12 0 12").replace("run 40", "run 2000"))
    bare, traced = in_turns(weir, scratch, mpi.start(2, "lmp", "-in", scratch / "in.lj", "-log", "none"), rounds, seconds)
    print(f"{mpi.name:8} LAMMPS, 2 ranks: {bare:6.2f} s bare, {traced:6.2f} traced, ratio {traced / bare:.3f}", flush=True)


def merge(weir, scratch, mpi, rounds):
    """At the end of the run, with what MPI_Finalize left and from the lanes alone, which is the reference; and what the merge
    inside MPI_Finalize adds to a run, against one that is merged at the end."""
    program = build(mpi, "self_messages", scratch)
    for ranks in (16, 64):
        for kinds in (1, ranks):  # of ranks: all alike, or each with a pattern of its own
            out = scratch / f"m{ranks}-{kinds}"
            command = [weir, "trace", "--keep-live", "--out", out, "--", *mpi.start(ranks, program, 33000, kinds)]
            done = run(command, cwd=scratch, timeout=900)
            if done.returncode != 0:
                sys.exit(done.stderr.decode())
            times = {}
            for how in ("--keep-live", "--from-lanes"):
                taken = []
                for _ in range(rounds):
                    (out / "trace.weir").unlink()
                    taken.append(seconds(lambda: run([weir, "merge", "--keep-live", how, out])))
                times[how] = statistics.median(taken)
            facts = stat(weir, out)
            end, lanes = times["--keep-live"], times["--from-lanes"]
            print(f"{mpi.name:8} merge of {ranks} ranks, {facts['records']} calls, {facts['grammars']} grammars: {end:.3f} s at the end, "
                  f"{lanes:.3f} from the lanes, ratio {end / lanes:.3f}", flush=True)
            shutil.rmtree(out)


def slowest(done):
    """Of what each rank told."""
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    return max(float(line) for line in done.stdout.split())


def finalize(weir, scratch, mpi, rounds):
    """MPI_Finalize itself, of the slowest rank: bare, and with the merge of what 3 x 33000 calls of each rank left. Ranks that
    are alike leave few grammars to be joined, others one each: what is added goes with calls and grammars, not with ranks."""
    program = build(mpi, "self_messages", scratch)
    for ranks in (4, 16):
        for kinds in (1, ranks):
            bare, traced = in_turns(weir, scratch, mpi.start(ranks, program, 33000, kinds, "end"), rounds, lambda work: slowest(work()))
            grammars = stat(weir, scratch / "t")["grammars"]
            print(f"{mpi.name:8} MPI_Finalize, {ranks} ranks, {grammars} grammars: {bare:.3f} s bare, {traced:.3f} traced, {traced - bare:.3f} added, "
                  f"ratio {traced / bare:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weir")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="calls, blocks, lammps, merge or finalize")
    given = parser.parse_args()
    weir = Path(given.weir).resolve()
    for measure in (calls, blocks, lammps, merge, finalize):
        if given.only in (None, measure.__name__):
            for mpi in installed():
                with scratch_directory() as name:
                    measure(weir, Path(name), mpi, given.rounds)


if __name__ == "__main__":
    main()
