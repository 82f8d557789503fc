"""LAMMPS is killed in the middle on the burst-buffer file system: what it had closed is there afterwards."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import Checks, Directory, scratch_directory  # noqa: E402
from parallel import LAMMPS, launcher  # noqa: E402

# Restart files and dumps all the time; it would go on for long.
SCRIPT = LAMMPS[:LAMMPS.index("run 40")].replace("region box block 0 5 0 5 0 5", "region box block 0 8 0 8 0 8")


def lammps(start, script, folder, steps):
    words = [*start, "lmp", "-in", script, "-var", "dir", folder, "-var", "steps", steps, "-log", "none", "-screen", "none"]
    return [str(word) for word in words]


def processes_of(scratch):
    """The ranks, the launcher: whatever has the directory on its command line."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if any(bytes(scratch) in word for word in words):
                yield int(entry.name), os.path.basename(words[0].decode())


def kill(there, name):
    """The first process of the run with this name."""
    for pid, program in sorted(processes_of(there.scratch)):
        if program == name:
            os.kill(pid, signal.SIGKILL)
            return True
    return False


def wait_until_gone(there, name, seconds=60):
    deadline = time.monotonic() + seconds
    while any(program == name for _, program in processes_of(there.scratch)):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def closed_files(weir, there, expected):
    """What the owners have at its full length, of files that are written once and closed."""
    jobs = list(there.path.glob(".weir-*/job.json"))
    if not jobs:
        return set()
    done = subprocess.run([weir, "fs", "ls", there.path, "--job", jobs[0], "--json"], capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode != 0:
        return set()
    return {row["path"] for row in json.loads(done.stdout)["entries"]
            if row["path"] in expected and row["size_bytes"] == len(expected[row["path"]])}


def scenario(checks, weir, start, script, expected, what, strike):
    with Directory(weir) as there:
        # A folder of its own in every command line, to find the processes by.
        run = subprocess.Popen([weir, "run", "--dir", there.path, "--consistency", "session", "--buffer", there.buffer, "--",
                                *lammps(start, script, there.path, 1000000)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        closed = set()
        deadline = time.monotonic() + 120
        while len(closed) < 3 and run.poll() is None and time.monotonic() < deadline:
            closed = closed_files(weir, there, expected)
        if not checks.expect(f"{what}: LAMMPS writes", len(closed) >= 3, f"{sorted(closed)}"):
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            return
        status = strike(there, run)
        checks.expect(f"{what}: it ended", status is None or run.returncode != 0, str(run.returncode))
        wrong = [name for name in sorted(closed)
                 if not (there.path / name).exists() or (there.path / name).read_bytes() != expected[name]]
        checks.equal(f"{what}: {len(closed)} files that were closed are whole", wrong, [])
        checks.equal(f"{what}: nothing of Weir stays", [n for n in os.listdir(there.path) if n.startswith(".weir")], [])


def a_rank(there, run):
    kill(there, "lmp")
    run.communicate(timeout=120)
    return run.returncode


def the_launcher(there, run):
    kill(there, os.path.basename(os.path.realpath(shutil.which("mpirun.openmpi")))) or kill(there, "mpirun.openmpi")
    run.communicate(timeout=120)
    wait_until_gone(there, "lmp")
    return run.returncode


def everything_but_the_servers(there, run):
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    for name in ("lmp", "mpirun.openmpi", "orterun"):
        while kill(there, name):
            pass
    wait_until_gone(there, "lmp")
    there.run(["true"], consistency="session")  # finds the servers and flushes


def a_server(there, run):
    for pid in list(there.server_pids()):
        os.kill(pid, signal.SIGKILL)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    for name in ("lmp", "mpirun.openmpi", "orterun"):
        while kill(there, name):
            pass
    wait_until_gone(there, "lmp")
    subprocess.run([there.weir, "fs", "recover", there.path, "--remove"], capture_output=True, timeout=120, check=False)


def main():
    weir = sys.argv[1]
    checks = Checks()
    start = launcher()
    if start is None or not shutil.which("lmp"):
        checks.skip("all", "no Open MPI or no LAMMPS")
        return checks.exit_code()
    with scratch_directory() as scratch:
        script = Path(scratch) / "in.melt"
        script.write_text(SCRIPT + "run ${steps}\n")
        plain = Path(scratch) / "plain"
        plain.mkdir()
        subprocess.run(lammps(start, script, plain, 400), check=True, timeout=300,
                       stdin=subprocess.DEVNULL)
        expected = {path.name: path.read_bytes() for path in plain.iterdir() if path.name.startswith(("restart.", "d."))}
        for strike in (a_rank, the_launcher, everything_but_the_servers, a_server):
            scenario(checks, weir, start, script, expected, f"kill -9 of {strike.__name__.replace('_', ' ')}", strike)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
