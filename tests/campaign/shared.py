"""What `weir interfere` says of programs that share a storage holds there; measured on a throttled loop device, as root.

The advice for four programs: those it recommends and those it discourages are run, and the order comes out right. A periodic signal
beside the checkpoint example (and LAMMPS where it is): dents in step with the signal, active against silent phases.
"""
import contextlib
import os
import shutil
import subprocess
import sys

from common import answer_of, built, run, run_parts, said
from interfere import SCRIPT, in_memory, root_and_loop

GOALS = SCRIPT.parent.parent / "bench" / "interference_goals.py"


def advice_holds(weir, examples, checks, scratch):
    if not root_and_loop(checks):
        return
    with in_memory(checks, "advice", 3 << 30) as memory:
        if memory is None:
            return
        there = {**os.environ, "TMPDIR": str(memory)}
        store = scratch / "matrix.db"
        done = run([weir, "interfere", "matrix", "--testbed", "loop", "--chunk", "1M,16M", "--runs", 3, "--time", "1500ms", "--db", store,
                    "--disturbed-too", "--json"], timeout=600, env=there)
        if done.returncode == 3:
            return checks.skip("advice", done.stderr.decode().strip())
        if not checks.equal("a matrix is measured", said(done)[0], 0):
            return
        done = run([sys.executable, GOALS, weir, store, "advice", "--runs", 3, "--time", "1500ms"], timeout=600, env=there)
        print(done.stdout.decode())
        checks.expect("two recommended and two discouraged pairs come out in that order", done.returncode == 0,
                      done.stdout.decode() + done.stderr.decode())
        checks.equal("pairs that were run", [done.stdout.decode().count(f"{kind}: ") for kind in ("together", "worst")], [2, 2])


@contextlib.contextmanager
def slow_target(checks, what):
    """A directory on a device of 32 MiB/s with at most 4 MiB waiting for it; None where the machine does not let it."""
    with in_memory(checks, what, 700 << 20) as memory:
        if memory is None:
            yield None
            return
        bed = memory / "weir.shared" / "testbed"
        bed.parent.mkdir()
        up = run(["bash", SCRIPT, "up", bed, 1, 640, 32, 4])
        if up.returncode != 0:
            checks.skip(what, up.stderr.decode().strip())
            yield None
            return
        try:
            yield bed / "target-0"
        finally:
            run(["bash", SCRIPT, "down", bed])


def beside_a_periodic_signal(weir, examples, checks, scratch, name, program):
    with slow_target(checks, name) as target:
        if target is None:
            return
        grid = scratch / "periodic.toml"
        grid.write_text((examples / "interference" / "periodic.toml").read_text().replace('"512M"', '"24M"'))
        own = target / "own"
        own.mkdir()
        slices = [weir, "interfere", "slices", "--slice", "250ms", "--under", target, "--out"]
        probe = subprocess.Popen([str(word) for word in [*slices, scratch / f"{name}.probe", "--dir", target, "--", *program]], cwd=own,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        beside = run([*slices, scratch / f"{name}.signal", "--", weir, "bench", "run", "--grid", grid, "--dir", target, "--runs", 3, "--db",
                      scratch / f"{name}.db"])
        told = probe.communicate()[1].decode()
        checks.equal(f"{name}: both ended well", (probe.returncode, beside.returncode), (0, 0)) or print(told, beside.stderr.decode())
        joined = [weir, "interfere", "slices", "--join", scratch / f"{name}.probe", scratch / f"{name}.signal"]
        answer = answer_of(joined)
        table = run(joined).stdout.decode()
        print(table)
        checks.expect(f"{name} loses in active slices", answer["degradation_percent"] > 30 and (answer["low"] or 0) > 0,
                      f'{answer["degradation_percent"]} [{answer["low"]}, {answer["high"]}]')
        phases, dented = answer["active_phases"], answer["active_phases_with_dent"]
        checks.expect(f"{name}: the signal has several active phases", phases >= 4, str(answer["active"]))
        checks.expect(f"{name}: most of them have a dent", dented >= 0.75 * phases, f"{dented} of {phases}\n{table}")
        # Before its first and after its last active phase there is nothing to be in step with.
        busy = [begin for begin, active in zip(answer["begin_ns"], answer["active"]) if active]
        during = [dent for dent in answer["dents"] if dent["end_ns"] > busy[0] and dent["begin_ns"] < busy[-1] + answer["slice_ns"]]
        checks.expect(f"{name}: most dents of that time are in step", during and answer["dents_in_step"] >= 0.75 * len(during),
                      f'{answer["dents_in_step"]} of {len(during)}\n{table}')
        checks.expect(f"{name}: the table says so", f"{dented} of {phases} active phases have a dent" in table, table)


def dents_in_step(weir, examples, checks, scratch):
    if not root_and_loop(checks):
        return
    if shutil.which("mpicc.openmpi") and shutil.which("mpirun.openmpi"):
        program = built(checks, scratch, examples / "checkpoint.c", "mpicc.openmpi")
        if program:
            beside_a_periodic_signal(weir, examples, checks, scratch, "checkpoint",
                                     ["mpirun.openmpi", "--allow-run-as-root", "-n", 1, program, ".", "-l", "own", "-b", 262144, "-c", 64,
                                      "-s", 26])
    else:
        checks.skip("checkpoint", "no mpicc.openmpi")
    if shutil.which("lmp"):
        beside_a_periodic_signal(weir, examples, checks, scratch, "lammps",
                                 ["lmp", "-log", "none", "-in", examples / "interference" / "in.dump", "-var", "steps", 600])
    else:
        checks.skip("LAMMPS", "no lmp; Debian's lammps has it")


if __name__ == "__main__":
    sys.exit(run_parts(__doc__, [advice_holds, dents_in_step]))
