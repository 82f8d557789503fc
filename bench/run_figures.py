#!/usr/bin/env python3
"""What `weir run` costs and brings on this machine, against its goals: each figure is a ratio or a difference within one run.

  outside     a call on a file outside the directory, with the library loaded and without: at most 50 ns more
  inside      a call on a file inside, by an unmodified program and by the client library: at most 300 ns more
  checkpoint  the checkpoint example, 8 ranks, on a throttled device (as root): the time it waits for its I/O under session at
              least 5 times shorter than without Weir, the flush at least 0.9 of the device's bandwidth

  ninja -C build/release weir weir-server weir-burst burst_outside burst_inside
  bench/run_figures.py [--only outside --only inside --only checkpoint] [--quick] [--json]
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MIB = 1 << 20


class NotAvailable(Exception):
    """This machine cannot do it."""


class Report:
    def __init__(self, for_machines):
        self.for_machines = for_machines
        self.goals = []

    def goal(self, what, goal, reached, met, detail=""):
        self.goals.append({"what": what, "goal": goal, "reached": reached, "met": met, "detail": detail})
        if not self.for_machines:
            print(f"{what:<64} goal {goal:<8} {reached:>8.3g}  {'reached' if met else 'MISSED ':<8} {detail}", flush=True)


def run(words, **keywords):
    keywords.setdefault("timeout", 900)
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **keywords)
    if done.returncode != 0:
        raise NotAvailable(f"{' '.join(map(str, words[:4]))}: exit {done.returncode}: {(done.stdout + done.stderr).strip()[-300:]}")
    return done


def outside(given, report):
    rounds = 5 if given.quick else 21
    done = run([given.build / "bench" / "burst_outside", given.build / "libweir-burst.so", rounds])
    for line in done.stdout.splitlines()[1:]:
        name, bare, loaded, added = re.match(r"(.*?)\s+([\d.]+)\s+([\d.]+)\s+(-?[\d.]+)$", line).groups()
        each = float(added) / len(name.split(" and "))
        report.goal(f"{name} outside the directory, ns more a call", "<= 50", each, each <= 50,
                    f"{bare} to {loaded}")


def inside(given, report):
    program = given.build / "bench" / "burst_inside"
    calls = ("pwrite", "pread", "write", "read")
    times = {"plain": [], "client": []}
    with tempfile.TemporaryDirectory(prefix="weir-figures-") as scratch, \
            tempfile.TemporaryDirectory(prefix="weir-figures-", dir=given.buffer) as buffer:
        job, backing = Path(scratch) / "job.json", Path(scratch) / "dir"
        backing.mkdir()
        run([given.build / "weir", "fs", "start", "--local", 1, "--buffer", buffer, "--backing", backing, "--job", job,
             "--consistency", "session"])
        try:
            for turn in range((5 if given.quick else 21) + 1):
                for how, more in (("plain", {"LD_PRELOAD": str(given.build / "libweir-burst.so"), "WEIR_BURST_DIR": str(backing)}),
                                  ("client", {})):
                    done = run([program, how, backing / f"{how}{turn}"], env=dict(os.environ, WEIR_JOB=str(job), **more))
                    if turn > 0:
                        times[how].append([float(line) for line in done.stdout.split()])
        finally:
            run([given.build / "weir", "fs", "stop", "--job", job, "--discard"])
    for i, name in enumerate(calls):
        plain, client = (statistics.median(row[i] for row in times[how]) for how in ("plain", "client"))
        report.goal(f"{name} of 64 bytes inside, ns over the client library's", "<= 300", plain - client, plain - client <= 300,
                    f"{client:.0f} to {plain:.0f}")


class Throttled:
    """A loop device with ext4 that nobody gets past: at most so many MiB/s, and little may wait in memory."""

    def __init__(self, size_mib, rate_mib, dirty_mib):
        self.folder = Path(tempfile.mkdtemp(prefix="weir.")) / "testbed"
        self.words = ["up", self.folder, 1, size_mib, rate_mib, dirty_mib]

    def __enter__(self):
        try:
            done = run([HERE.parent / "scripts" / "testbed", *self.words])
        except NotAvailable:
            shutil.rmtree(self.folder.parent, ignore_errors=True)
            raise
        lines = done.stdout.splitlines()
        groups = [line.split(" ", 1)[1] for line in lines if line.startswith("group ")]
        self.group = Path(groups[0]) if groups else None
        return Path(lines[0]), self.group

    def __exit__(self, *_):
        subprocess.run([HERE.parent / "scripts" / "testbed", "down", self.folder], check=False)
        shutil.rmtree(self.folder.parent, ignore_errors=True)


def device_rate(target):
    """Bytes a second of one long sequential write, synced; the best of three."""
    best = 0
    block = os.urandom(4 * MIB)
    for _ in range(3):
        path = target / "rate"
        begin = time.monotonic()
        with open(path, "wb", buffering=0) as file:
            for _ in range(64):
                file.write(block)
            os.fsync(file.fileno())
        best = max(best, 64 * len(block) / (time.monotonic() - begin))
        path.unlink()
    return best


def checkpoint(given, report):
    mpirun, compiler = shutil.which("mpirun.openmpi"), shutil.which("mpicc.openmpi")
    if not mpirun or not compiler:
        raise NotAvailable("no Open MPI")
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory(prefix="weir-figures-") as scratch, Throttled(2048, 200, 16) as (target, group):
        program = Path(scratch) / "checkpoint"
        run([compiler, "-O2", "-o", program, HERE.parent / "examples" / "checkpoint.c"])

        def throttled():
            if group is not None:
                (group / "cgroup.procs").write_text(str(os.getpid()))

        rate = device_rate(target)
        report.goal("the device, MB/s", ">= 150", rate / 1e6, rate >= 150e6, "one long write, synced")
        for block, blocks in ((4096, 1024 if given.quick else 4096), (4 * MIB, 4 if given.quick else 8)):
            for layout in ("own", "contiguous", "strided"):
                waited = {"plain": [], "session": []}
                flushes = []
                for turn in range(1 if given.quick else 3):
                    for how in waited:
                        folder = target / f"{how}-{turn}"
                        folder.mkdir()
                        command = [mpirun, "--oversubscribe", "-n", 8, program, folder, "-l", layout, "-b", block, "-c", blocks,
                                   "-s", 2]
                        if how == "session":
                            command = [given.build / "weir", "run", "--dir", folder, "--consistency", "session", "--buffer",
                                       given.buffer, "--json", "--", *command]
                        done = run(command, env=environment, preexec_fn=throttled, stdin=subprocess.DEVNULL)
                        waited[how].append(float(re.search(r"waited ([\d.]+) s to write", done.stdout).group(1)))
                        if how == "session":
                            told = json.loads(done.stdout[done.stdout.index("\n{") + 1:])
                            flushes.append(told["bytes"]["flushed_bytes"] / told["flush_s"])
                        os.sync()
                        shutil.rmtree(folder)
                plain, session = (statistics.median(waited[how]) for how in ("plain", "session"))
                name = f"{layout}, {'4 KiB' if block == 4096 else '4 MiB'}, 8 ranks"
                report.goal(f"checkpoint {name}: wait without to wait under session", ">= 5", plain / session,
                            plain / session >= 5, f"{plain:.2f} s to {session:.2f} s")
                share = statistics.median(flushes) / rate
                report.goal(f"checkpoint {name}: flush to the device's bandwidth", ">= 0.9", share, share >= 0.9,
                            f"{statistics.median(flushes) / 1e6:.0f} MB/s")


PARTS = {"outside": outside, "inside": inside, "checkpoint": checkpoint}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=HERE.parent / "build" / "release", help="where the programs are")
    parser.add_argument("--buffer", type=Path, default=Path("/dev/shm"))
    parser.add_argument("--only", action="append", choices=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="fewer rounds, less data")
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    given = parser.parse_args()
    report = Report(given.json)
    notes = []
    for part in given.only or PARTS:
        try:
            PARTS[part](given, report)
        except NotAvailable as why:
            notes.append(f"{part}: not available: {why}")
            print(f"run_figures: {notes[-1]}", file=sys.stderr)
    if given.json:
        print(json.dumps({"schema": "weir.bench.run/1", "cores": os.cpu_count(), "goals": report.goals, "notes": notes}, indent=1))
    return 1 if any(not goal["met"] for goal in report.goals) else 0


if __name__ == "__main__":
    sys.exit(main())
