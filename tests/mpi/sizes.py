#!/usr/bin/env python3
"""What many ranks do alike is kept once: sizes and classes do not grow with ranks or iterations.

Usage: sizes.py WEIR [openmpi | mpich]
With WEIR_LONG_TESTS=1 up to 64 ranks.
"""
import os
import sys
from pathlib import Path

from common import LONG, Checks, calls_only, installed, scratch_directory, stat, tables_only, trace


SLACK = 8  # bytes: other digits are packed with more or less luck


def measure(weir, scratch, mpi, binary, ranks, *arguments):
    out = scratch / f"{binary.name}-{ranks}-{'-'.join(map(str, arguments))}.trace"
    done = trace(weir, out, mpi.start(ranks, binary, *arguments), "--timing", "off", "--include", scratch, cwd=scratch,
                 timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"{binary.name} on {ranks} ranks: {done.stderr.decode()[-2000:]}")
    return stat(weir, out)


# Kernels with the communication of the NAS codes (program, iterations of class S), and what Pilgrim takes for those, with
# aggregated timing: bytes on 4 and on 16 ranks. Wang, Balaji and Snir, class S.
KERNELS = [("cg", 15, 2422, 4884), ("mg", 4, 7788, 12980), ("lu", 50, 3804, 7204), ("ft", 6, 890, 938), ("bt", 60, 9154, None),
           ("sp", 100, 7408, None)]


def kernels(checks, weir, scratch, mpi):
    for program, iterations, *bounds in KERNELS:
        binary = mpi.build(program, scratch)
        for ranks, bound in zip((4, 16), bounds):
            facts = measure(weir, scratch, mpi, binary, ranks, iterations)
            whole = facts["trace_bytes"] - facts["timing_bytes"]
            print(f"{mpi.name} {program} on {ranks} ranks: {whole} bytes, {facts['process_bytes']} of these for the table of processes; "
                  f"Pilgrim {bound}; {facts['grammars']} grammars", flush=True)
            if bound is not None:
                checks.expect(f"{mpi.name}: size of {program} on {ranks} ranks", whole <= bound, f"{whole}, {bound} wanted")


def plots(checks, weir, scratch, mpi):
    """Independent writes are the same pattern on however many ranks; with collective ones each aggregator has one of its own."""
    binary = mpi.build("plots", scratch)
    several = (4, 8, 16, 32, 64) if LONG else (4, 8)
    for aggregators in (0, 1, 2, 4) if LONG else (0, 2):
        facts = {ranks: measure(weir, scratch, mpi, binary, ranks, 5, aggregators) for ranks in several}
        sizes = {ranks: calls_only(one) for ranks, one in facts.items()}
        grammars = {ranks: one["grammars"] for ranks, one in facts.items()}
        longer = calls_only(measure(weir, scratch, mpi, binary, several[1], 20, aggregators))
        how = f"collective, {aggregators} aggregators" if aggregators else "independent"
        print(f"{mpi.name} plots, {how}: " + ", ".join(f"{ranks} ranks {sizes[ranks]} bytes, {grammars[ranks]} grammars" for ranks in several)
              + f"; four times the steps on {several[1]} ranks {longer} bytes", flush=True)
        checks.expect(f"{mpi.name}: grammars of plots, {how}", grammars[several[-1]] <= grammars[several[1]], grammars)
        checks.expect(f"{mpi.name}: size of plots, {how}", sizes[several[-1]] <= sizes[several[1]] + 64, sizes)
        checks.expect(f"{mpi.name}: size of plots with more steps, {how}", longer <= sizes[several[1]] + 64, longer)


def main():
    weir = Path(sys.argv[1]).resolve()
    checks = Checks()
    for mpi in installed():
        if sys.argv[2:] and mpi.name not in sys.argv[2:]:
            continue
        with scratch_directory() as name:
            scratch = Path(name)
            flat = mpi.build("stencil2d", scratch)
            grids = [(3, 3), (4, 4)] + ([(8, 8)] if LONG else [])
            facts = {grid: measure(weir, scratch, mpi, flat, grid[0] * grid[1], *grid, 10) for grid in grids}
            sizes = {grid: calls_only(one) for grid, one in facts.items()}
            for grid in grids:
                print(f"{mpi.name} stencil2d {grid}: {sizes[grid]} bytes, {tables_only(facts[grid])} of these tables, {facts[grid]['classes']} classes, "
                      f"{facts[grid]['grammars']} grammars, processes {facts[grid]['process_bytes']} bytes", flush=True)
                checks.equal(f"{mpi.name}: grammars of a 2-D stencil on {grid}", facts[grid]["grammars"], 9)
                checks.expect(f"{mpi.name}: size on {grid}", sizes[grid] <= sizes[(3, 3)] + 16, sizes)
                checks.expect(f"{mpi.name}: tables on {grid}", tables_only(facts[grid]) <= tables_only(facts[(3, 3)]) + SLACK,
                              {grid: tables_only(one) for grid, one in facts.items()})
            longer = calls_only(measure(weir, scratch, mpi, flat, 9, 3, 3, 1000))
            checks.expect(f"{mpi.name}: size with a hundred times the iterations", longer <= sizes[(3, 3)] + 32, longer)

            cube = mpi.build("stencil3d", scratch)
            if LONG or mpi.name == "mpich":  # quicker to start many
                facts = {grid: measure(weir, scratch, mpi, cube, grid[0] * grid[1] * grid[2], *grid, 5)
                         for grid in [(3, 3, 3), (4, 3, 3)] + ([(4, 4, 4)] if LONG else [])}
                for grid, one in facts.items():
                    print(f"{mpi.name} stencil3d {grid}: {calls_only(one)} bytes, {tables_only(one)} of these tables, {one['grammars']} grammars", flush=True)
                    checks.expect(f"{mpi.name}: grammars of a 3-D stencil on {grid}", one["grammars"] <= 27, one["grammars"])
                    checks.expect(f"{mpi.name}: size of the 3-D stencil on {grid}", calls_only(one) <= calls_only(facts[(3, 3, 3)]) + 32,
                                  {grid: calls_only(one) for grid, one in facts.items()})
                    checks.expect(f"{mpi.name}: tables of the 3-D stencil on {grid}", tables_only(one) <= tables_only(facts[(3, 3, 3)]) + SLACK,
                                  {grid: tables_only(one) for grid, one in facts.items()})
                longer = calls_only(measure(weir, scratch, mpi, cube, 27, 3, 3, 3, 100))
                checks.expect(f"{mpi.name}: size of the 3-D stencil with more iterations", longer <= calls_only(facts[(3, 3, 3)]) + 32, longer)

            shifted = mpi.build("offsets", scratch)
            few, many = 4, 64 if LONG else 16
            # Open MPI's own driver maps a file for shared pointers, at another address in each process.
            os.environ["OMPI_MCA_io"] = "romio321"
            small, large = (measure(weir, scratch, mpi, shifted, ranks, 8) for ranks in (few, many))
            print(f"{mpi.name} offsets: {calls_only(small)} bytes with {few} ranks, {tables_only(small)} of these tables, {calls_only(large)} and {tables_only(large)} with {many}", flush=True)
            checks.expect(f"{mpi.name}: writes at rank times block", calls_only(large) <= calls_only(small) + 16,
                          f"{calls_only(small)} and {calls_only(large)}")
            checks.expect(f"{mpi.name}: tables of writes at rank times block", tables_only(large) <= tables_only(small) + SLACK,
                          f"{tables_only(small)} and {tables_only(large)}")
            plots(checks, weir, scratch, mpi)
            os.environ.pop("OMPI_MCA_io")
            kernels(checks, weir, scratch, mpi)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
