#!/usr/bin/env python3
"""Jobs that cannot start, and job files that are there already.

  tests/cluster/starts.py build/release/weir build/release/tests/cluster/burst_player
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from common import Checks, Job


def start_again(job):
    return job.run("start", "--local", "2", "--buffer", job.buffer, "--backing", job.backing, "--job", job.file, named=False)


def after_a_death(checks, weir, player):
    """The file of a job whose servers were killed: what only it knows how to find is not forgotten."""
    with Job(weir, player, servers=2) as job:
        one = job.client(0)
        one.do("open", "f", "commit")
        one.do("write", 0, "text")
        one.do("sync")
        before = job.file.read_text()
        again = start_again(job)
        checks.equal("start while it runs: status", again.returncode, 2)
        checks.expect("start while it runs: the remedy", "still runs" in again.stderr and "weir fs stop" in again.stderr, again.stderr)
        for number in range(2):
            job.kill_server(number)
        one.kill()
        again = start_again(job)
        checks.equal("start after its death: status", again.returncode, 2)
        checks.equal("start after its death: the file is as it was", job.file.read_text(), before)
        remedy = [word for word in again.stderr.split() if word.startswith(str(job.buffer))]
        checks.expect("start after its death: names the buffer", len(remedy) == 1, again.stderr)
        recovered = job.run("recover", *remedy, "--remove", named=False)
        checks.equal("recovered", (recovered.returncode, (job.backing / "f").read_text()), (0, "text"))
        checks.expect("the dead servers' addresses are still there", Path(f"{job.file}.0").exists() and Path(f"{job.file}.1").exists())
        again = start_again(job)
        checks.equal("start after that", (again.returncode, again.stderr), (0, ""))
        checks.equal("all of them run", job.run("status").returncode, 0)
        two = job.client(1)
        two.do("open", "f", "commit", "old")
        checks.equal("and serve", two.do("read", 0, 9), "ok text")
        checks.equal("stop", job.stop().returncode, 0)
        checks.expect("nothing stays beside the file", not Path(f"{job.file}.0").exists() and not Path(f"{job.file}.1").exists())


def launcher_fails(checks, weir):
    """Nobody waits for servers that will not come."""
    with tempfile.TemporaryDirectory(prefix="weir-starts-") as folder:
        launcher = Path(folder) / "mpirun"
        launcher.write_text("#!/bin/sh\necho 'cannot reach n02' >&2\necho ------- >&2\nexit 3\n")
        launcher.chmod(0o755)
        environment = {k: v for k, v in os.environ.items() if k != "SLURM_JOB_ID"}
        words = ["--hosts", "n01,n02", "--buffer", folder, "--backing", folder, "--limit", "1000s"]
        done = subprocess.run([weir, "fs", "start", *words, "--job", Path(folder) / "job.json"], capture_output=True, text=True,
                              timeout=100, check=False, env=dict(environment, PATH=f"{folder}:{environment['PATH']}"))
        checks.equal("a launcher that fails: status", done.returncode, 4)
        checks.expect("a launcher that fails: what it said", "cannot reach n02" in done.stderr, done.stderr)


def prepared(checks, weir):
    with tempfile.TemporaryDirectory(prefix="weir-starts-") as folder:
        words = ["--prepare", "--buffer", folder, "--backing", folder, "--job", Path(folder) / "job.json"]
        for how, wanted in ((("--local", "2"), "2 of 'weir-server --job"), (("--hosts", "n01,n02"), "on each of n01, n02")):
            done = subprocess.run([weir, "fs", "start", *words, *how], capture_output=True, text=True, timeout=100, check=False)
            checks.expect(f"prepared with {how[0]}: how to go on", done.returncode == 0 and wanted in done.stdout, done.stdout)


def main():
    weir, player = sys.argv[1:3]
    checks = Checks()
    after_a_death(checks, weir, player)
    launcher_fails(checks, weir)
    prepared(checks, weir)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
