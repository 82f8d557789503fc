#!/usr/bin/env python3
"""What `weir check` says of real programs: the shipped examples, LAMMPS, NWChem, HDF5 and sqlite.

Usage: verdicts.py WEIR [CASE...]

The rows of the study that `weir check` comes from (Wang et al., its Table 4.3) that can be run here; each example again
with what `weir check` had advised.
"""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from common import PROGRAMS, Checks, installed, run, scratch_directory, trace
from libraries import LAMMPS, flags

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "consistency"


def check(weir, out, *options):
    done = run([weir, "check", out, "--json", *options])
    return json.loads(done.stdout), done.returncode


def conflicts(facts, model):
    return next(one["conflicts"] for one in facts["models"] if one["name"] == model)


def between_processes(facts, model):
    found = conflicts(facts, model)
    return found["waw_d"] + found["raw_d"]


def traced(checks, weir, scratch, what, command):
    out = scratch / f"{what.replace(' ', '_').replace('/', '-')}.trace"
    done = trace(weir, out, command, cwd=scratch)
    return out if checks.equal(f"{what}: runs", done.returncode, 0) else None


def exchange(checks, weir, scratch, mpi):
    """Each switch makes the next weaker model sufficient, and the advice says which to take."""
    program = scratch / "exchange"
    subprocess.run([mpi.compiler, "-w", "-o", program, EXAMPLES / "exchange.c"], check=True)
    weakest, advice = {}, {}
    for how in ("race", "barrier", "fsync", "reopen"):
        out = traced(checks, weir, scratch, f"exchange {how}", mpi.start(2, program, how))
        if out is None:
            return
        facts, _ = check(weir, out)
        weakest[how] = (facts["weakest_model"], facts["races"])
        advice[how] = run([weir, "check", out]).stdout.decode().split("to make")[-1]
        checks.equal(f"{mpi.name} exchange {how}: asked for commit", check(weir, out, "--model", "commit")[1],
                     0 if how in ("fsync", "reopen") else 1)
        checks.equal(f"{mpi.name} exchange {how}: asked for session", check(weir, out, "--model", "session")[1],
                     0 if how == "reopen" else 1)
    checks.equal(f"{mpi.name} exchange: weakest models", weakest,
                 {"race": (None, 1), "barrier": ("posix", 0), "fsync": ("commit", 0), "reopen": ("session", 0)})
    for how, word in (("race", "barrier"), ("barrier", "fsync after pwrite")):
        checks.expect(f"{mpi.name} exchange {how}: is told '{word}'", word in advice[how], advice[how])


def datasets(checks, weir, scratch, mpi):
    """Independent metadata: conflicts with itself and with others under session, none with others under commit."""
    package = f"hdf5-{mpi.name}"
    if flags(package, "--cflags") is None:
        checks.skip(f"{mpi.name} datasets", f"no {package}")
        return
    program = scratch / "flushed_datasets"
    folders = [word[2:] for word in flags(package, "--libs") if word.startswith("-L")]
    subprocess.run([mpi.compiler, "-w", *flags(package, "--cflags"), "-o", program, EXAMPLES / "flushed_datasets.c",
                    *flags(package, "--libs"), *[f"-Wl,-rpath,{folder}" for folder in folders]], check=True)
    out = traced(checks, weir, scratch, f"{mpi.name} datasets", mpi.start(4, program, "independent"))
    if out is None:
        return
    facts, _ = check(weir, out)
    session = conflicts(facts, "session")
    checks.expect(f"{mpi.name} datasets: WAW-S and WAW-D under session", session["waw_s"] > 0 and session["waw_d"] > 0, session)
    checks.equal(f"{mpi.name} datasets: none between processes under commit", between_processes(facts, "commit"), 0)
    checks.equal(f"{mpi.name} datasets: no races", facts["races"], 0)
    if mpi.name == "mpich":
        one_writer(checks, weir, scratch, mpi, program)
        return
    again = traced(checks, weir, scratch, f"{mpi.name} datasets again", mpi.start(4, program, "collective"))
    if again is not None:
        checks.equal(f"{mpi.name} datasets: with collective metadata none under session",
                     between_processes(check(weir, again)[0], "session"), 0)


def one_writer(checks, weir, scratch, mpi, program):
    """HDF5 gives all metadata to one MPI_File_write_at_all. ROMIO, which MPICH has, lets every rank write its share of
    that, which is another one at the next flush, and fills gaps by reading and writing back what is there: so there are
    conflicts of two ranks, all of them inside that call. With one aggregator there are none."""
    plain = traced(checks, weir, scratch, f"{mpi.name} datasets together", mpi.start(4, program, "collective"))
    if plain is not None:
        facts, _ = check(weir, plain)
        calls = run([weir, "dump", plain]).stdout.decode()
        outside = [line for line in calls.splitlines() if "pwrite(" in line and "datasets.h5" in line and depth_of(line) < 2]
        checks.equal(f"{mpi.name} datasets: all writes are MPI's", outside, [])
        checks.equal(f"{mpi.name} datasets: none between processes under commit", between_processes(facts, "commit"), 0)
        if between_processes(facts, "session") > 0:
            told = run([weir, "check", plain, "--model", "session"]).stdout.decode()
            checks.expect(f"{mpi.name} datasets: is told who wrote for whom", "MPI_File_write_at_all wrote this for other ranks too" in told, told)
    hints = scratch / "hints"
    hints.write_text("romio_cb_write enable\ncb_nodes 1\n")
    os.environ["ROMIO_HINTS"] = str(hints)
    again = traced(checks, weir, scratch, f"{mpi.name} datasets by one", mpi.start(4, program, "collective"))
    del os.environ["ROMIO_HINTS"]
    if again is not None:
        facts, status = check(weir, again, "--model", "session")
        checks.equal(f"{mpi.name} datasets: with collective metadata and one aggregator none under session",
                     (between_processes(facts, "session"), facts["races"], status), (0, 0, 0))


def depth_of(line):
    """Of a call in what `weir dump` prints: it is indented by two for each call that it is inside of."""
    call = line.split("pwrite(")[0]
    return (len(call) - len(call.rstrip(" ")) - 2) // 2


def lammps(checks, weir, scratch, mpi):
    if mpi.name != "openmpi":
        return
    if shutil.which("lmp") is None:
        checks.skip("lammps", "no lmp; scripts/setup --apps installs it")
        return
    (scratch / "in.lj").write_text(LAMMPS.format(style="atom"))
    out = traced(checks, weir, scratch, "lammps", mpi.start(4, "lmp", "-in", scratch / "in.lj", "-log", "none"))
    if out is None:
        return
    facts, status = check(weir, out, "--model", "session")
    checks.equal("lammps: session suffices", (status, facts["races"]), (0, 0))
    checks.equal("lammps: no conflict between processes under session", between_processes(facts, "session"), 0)


def kin(checks, weir, scratch, mpi):
    """Threads and children of a rank, shells of the C library too: what they did is known to others only behind the
    join, the wait or the pclose, and behind system(); likewise what a shell's own children did (dash makes them by vfork)."""
    program = mpi.build("kin", scratch)
    for how in ("join", "no-join", "wait", "no-wait", "system", "pclose", "no-pclose", "system-vfork", "pclose-vfork", "no-pclose-vfork"):
        out = traced(checks, weir, scratch, f"{mpi.name} kin {how}", mpi.start(2, program, how))
        if out is None:
            return
        facts, _ = check(weir, out)
        checks.equal(f"{mpi.name} kin {how}: is a race", facts["races"] > 0, how.startswith("no-"))


def detached(checks, weir, scratch, mpi):
    """A detached thread comes after what made it, and nothing tells when it is done."""
    program = mpi.build("detached", scratch)
    for how in ("made", "detached", "late"):
        out = traced(checks, weir, scratch, f"{mpi.name} detached {how}", mpi.start(2, program, how))
        if out is None:
            return
        facts, _ = check(weir, out)
        checks.equal(f"{mpi.name} detached {how}: is a race", facts["races"] > 0, how == "late")


def completed(checks, weir, scratch, mpi):
    """What MPI_File_iwrite and its like began is done when the request is complete, whatever call says so and wherever
    MPI learnt of it."""
    program = mpi.build("completed", scratch)
    for what in ("write", "read", "all"):
        for how in ("wait", "waitsome", "test", "testall", "testany", "testsome", "late"):
            out = traced(checks, weir, scratch, f"{mpi.name} completed {what} {how}", mpi.start(2, program, what, how))
            if out is None:
                return
            facts, _ = check(weir, out)
            checks.equal(f"{mpi.name} completed {what} {how}: is a race", facts["races"] > 0, how == "late")
            checks.expect(f"{mpi.name} completed {what} {how}: its accesses are seen", between_processes(facts, "eventual") > 0 or
                          facts["races"] > 0 or what == "read", facts)


def family(checks, weir, scratch):
    """Without MPI and without times nothing but fork, vfork and wait tells an order."""
    program = scratch / "family"
    subprocess.run(["cc", "-o", program, PROGRAMS / "family.c"], check=True)
    for how in ("wait", "early", "vfork-wait", "vfork-early", "shell"):
        out = scratch / f"family-{how}.trace"
        done = trace(weir, out, [program, how], "--timing", "off", cwd=scratch)
        if checks.equal(f"family {how}: runs", done.returncode, 0):
            checks.equal(f"family {how}: is a race", check(weir, out)[0]["races"] > 0, how.endswith("early"))


NWCHEM = """start water
scratch_dir .
permanent_dir .
geometry units angstroms
 O 0.0 0.0 0.0
 H 0.0 0.757 0.587
 H 0.0 -0.757 0.587
end
basis
 * library sto-3g
end
task scf energy
task scf gradient
"""


def nwchem(checks, weir, scratch, mpi):
    """Scratch files of its own for every rank: each overwrites and reads again what it wrote, and nobody else."""
    if mpi.name != "openmpi":
        return
    if shutil.which("nwchem") is None:
        checks.skip("nwchem", "no nwchem; scripts/setup --apps installs it")
        return
    (scratch / "water.nw").write_text(NWCHEM)
    out = traced(checks, weir, scratch, "nwchem", mpi.start(2, "nwchem", "water.nw"))
    if out is None:
        return
    facts, _ = check(weir, out)
    found = conflicts(facts, "session")
    checks.expect("nwchem: with itself", found["waw_s"] > 0 and found["raw_s"] > 0, found)
    checks.equal("nwchem: with nobody else", (found["waw_d"], found["raw_d"], facts["races"]), (0, 0, 0))


def scratch_files(checks, weir, scratch):
    """A database with its journal: writes over what it wrote, read again by itself alone."""
    if shutil.which("sqlite3") is None:
        checks.skip("sqlite", "no sqlite3")
        return
    script = "create table t(a, b); " + "".join(
        f"begin; insert into t select value, randomblob(500) from generate_series({i}, {i + 200}); commit; update t set b = randomblob(500);"
        for i in range(0, 800, 200)) + "select count(*) from t;"
    out = traced(checks, weir, scratch, "sqlite", ["sqlite3", "scratch.db", script])
    if out is None:
        return
    facts, _ = check(weir, out)
    found = conflicts(facts, "session")
    checks.expect("sqlite: with itself", found["waw_s"] > 0 and found["raw_s"] > 0, found)
    checks.equal("sqlite: with nobody else", (found["waw_d"], found["raw_d"], facts["races"]), (0, 0, 0))
    plfs, status = check(weir, out, "--fs", "plfs")
    checks.equal("sqlite: a file system without own order is not enough", (plfs["asked"]["sufficient"], status), (False, 1))


def main():
    weir = Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:]
    checks = Checks()
    cases = [(scratch_files, []), (family, [])]
    cases += [(case, [mpi]) for case in (exchange, kin, detached, completed, datasets, lammps, nwchem) for mpi in installed()]
    for case, arguments in cases:
        if not wanted or case.__name__ in wanted:
            with scratch_directory() as scratch:
                case(checks, weir, Path(scratch), *arguments)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
