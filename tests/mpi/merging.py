#!/usr/bin/env python3
"""Ranks merged inside MPI_Finalize give the bytes that their lanes give afterwards, whatever happens there.

Usage: merging.py WEIR [PROGRAM...]
With WEIR_LONG_TESTS=1 ranks are also killed in the middle of the merge, and more ranks take part.
"""
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from common import LONG, Checks, installed, run, scratch_directory, stat, trace
from programs import CASES

# Calls that a library's end makes after MPI_Finalize, or threads that are still at work: those ranks are merged again.
FORTRAN = ["every_call_mpi", "every_call_f08", "every_call_fixed"]
GO_ON = {"every_call", "every_call_mpi", "every_call_f08", "every_call_fixed", "threads"}


def taken(done):
    """How many processes were taken as MPI_Finalize left them."""
    found = re.search(rb"\((\d+) merged in MPI_Finalize\)", done.stderr)
    return int(found.group(1)) if found else 0


def same_bytes(checks, weir, what, out):
    """The trace that was made with the parts, and the one of the lanes alone."""
    made = (out / "trace.weir").read_bytes()
    for options in (["--from-lanes"], []):
        (out / "trace.weir").unlink()
        again = run([weir, "merge", "--keep-live", *options, out])
        checks.equal(f"{what}: merges {' '.join(options) or 'again'}", again.returncode, 0)
        checks.expect(f"{what}: same bytes {' '.join(options) or 'again'}", (out / "trace.weir").read_bytes() == made,
                      f"{len(made)} bytes, then {(out / 'trace.weir').stat().st_size}")


def one(checks, weir, mpi, scratch, binary, ranks, arguments, *options, all_taken=True, **keywords):
    what = f"{mpi.name} {binary.name} {' '.join(map(str, options))}"
    here = scratch / f"in-{len(list(scratch.iterdir()))}"
    here.mkdir()
    out = here / "trace"
    command = mpi.start(ranks, binary, *arguments)
    # Some installations cannot make windows, traced or not.
    expected = 0 if all_taken else run(command, cwd=here).returncode
    done = trace(weir, out, command, "--keep-live", *options, cwd=here, **keywords)
    if not checks.equal(f"{what}: exit status", done.returncode, expected):
        print(done.stderr.decode()[-2000:])
        return
    if all_taken:
        checks.equal(f"{what}: ranks merged in MPI_Finalize", taken(done), ranks)
    same_bytes(checks, weir, what, out)
    return out


def every_program(checks, weir, mpi, scratch, wanted):
    cases = [*CASES, *((name, 2, []) for name in FORTRAN), ("stencil2d", 16, [4, 4, 20]), ("cg", 16, [3])]
    for program, ranks, arguments in cases:
        if wanted and program not in wanted:
            continue
        one(checks, weir, mpi, scratch, mpi.build(program, scratch), ranks, arguments, all_taken=program not in GO_ON)


def settings(checks, weir, mpi, scratch):
    """Other timings, no times, some layers, switched off."""
    binary = mpi.build("stencil2d", scratch)
    for options in (["--timing", "mean"], ["--timing", "quant", "--error", "0.05,MPI_Isend=0.2"], ["--timing", "off"],
                    ["--layers", "posix"]):
        here = scratch / f"settings-{options[1]}"
        done = trace(weir, here, mpi.start(4, binary, 2, 2, 20), "--keep-live", *options, cwd=scratch)
        checks.equal(f"{mpi.name} {options}: all ranks merged in MPI_Finalize", taken(done), 4)
        made = (here / "trace.weir").read_bytes()
        (here / "trace.weir").unlink()
        timing = options if options[0] == "--timing" else []
        run([weir, "merge", "--keep-live", "--from-lanes", *timing, here], check=True)
        checks.expect(f"{mpi.name} {options}: same bytes", (here / "trace.weir").read_bytes() == made)
    done = trace(weir, scratch / "off", mpi.start(4, binary, 2, 2, 20), "--keep-live", "--merge-at-end", cwd=scratch)
    checks.equal(f"{mpi.name} --merge-at-end", (done.returncode, taken(done)), (0, 0))
    checks.equal(f"{mpi.name} --merge-at-end leaves no part", list((scratch / "off" / "live").glob("*.part")), [])
    # zfp stays out of programs: those are merged at the end.
    done = trace(weir, scratch / "zfp", mpi.start(2, binary, 2, 1, 5), "--timing", "zfp", cwd=scratch)
    checks.equal(f"{mpi.name} --timing zfp", (done.returncode in (0, 3), taken(done)), (True, 0))


def short_of_room(checks, weir, mpi, scratch):
    """No file may grow any more when MPI_Finalize comes: nothing is merged there, and the program does not notice."""
    out, what = scratch / "limited", f"{mpi.name}: with a limit on file sizes"
    done = trace(weir, out, mpi.start(2, mpi.build("limited", scratch)), "--keep-live", cwd=scratch)
    checks.equal(f"{what}: exit status, ranks merged in MPI_Finalize", (done.returncode, taken(done)), (0, 0))
    checks.equal(f"{what}: verifies", run([weir, "verify", out]).returncode, 0)
    same_bytes(checks, weir, what, out)


def killed(checks, weir, mpi, scratch, seed):
    """A rank is killed while the merge is under way: what was recorded is all there."""
    binary = mpi.build("stencil2d", scratch)
    chance = random.Random(seed)
    print(f"{mpi.name}: kills with seed {seed}", flush=True)
    for attempt in range(10):
        out = scratch / f"killed-{attempt}"
        work = subprocess.Popen([weir, "trace", "--keep-live", "--out", out, "--", *mpi.start(4, binary, 2, 2, 4000)], cwd=scratch,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        live = out / "live"
        while work.poll() is None and not (live / "clock").exists():
            time.sleep(0.001)
        time.sleep(chance.random() * 0.1)
        ranks = sorted({int(path.name.split("-")[1]) for path in live.glob("*.lane")})
        try:
            os.kill(chance.choice(ranks), signal.SIGKILL)
        except (ProcessLookupError, IndexError):
            pass
        try:
            _, told = work.communicate(timeout=150)
        except subprocess.TimeoutExpired:
            work.kill()
            checks.expect(f"{mpi.name}: a kill in the merge does not hang the job", False, f"attempt {attempt}")
            continue
        what = f"{mpi.name}: killed in the merge, attempt {attempt}"
        checks.equal(f"{what}: verifies", run([weir, "verify", out]).returncode, 0)
        facts = stat(weir, out)
        ends = sum(one["calls"] for one in facts["functions"] if one["name"] == "MPI_Finalize")
        checks.equal(f"{what}: calls of MPI_Finalize", ends, 4)
        same_bytes(checks, weir, what, out)


def main():
    weir = Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:]
    checks = Checks()
    for mpi in installed():
        with scratch_directory() as name:
            scratch = Path(name)
            every_program(checks, weir, mpi, scratch, wanted)
            if not wanted:
                settings(checks, weir, mpi, scratch)
                short_of_room(checks, weir, mpi, scratch)
            if LONG and not wanted:
                killed(checks, weir, mpi, scratch, seed=6)
                one(checks, weir, mpi, scratch, mpi.build("stencil2d", scratch), 64, [8, 8, 10], timeout=600)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
