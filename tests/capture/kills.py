#!/usr/bin/env python3
"""However a traced program ends, its trace opens, verifies and lacks at most the call in flight on each thread.

Usage: kills.py WEIR PROGRAMS_DIR [--count 20] [--seed N]

A program of four threads makes a million calls (a third of that if WEIR_LONG_TESTS is not set) and counts them in
shared memory. It is killed with SIGKILL at random calls (--count times; 100 with WEIR_LONG_TESTS), ends by abort,
SIGSEGV, SIGTERM, _exit and exec at random calls, and is killed together with `weir trace`, after which `weir merge`
makes the trace. The bound promised is 1000 lost calls of a million; what is asked here is one per thread. No thread
may have more records than calls made, plus the one in flight.
"""
import json
import mmap
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

from common import Checks, arguments, run, scratch_directory, verify

THREADS = 4
LONG = bool(os.environ.get("WEIR_LONG_TESTS"))
CALLS = 250_000 if LONG else 80_000  # per thread
SLOT, SLOTS = 64, 64


class Counters:
    """The shared memory of programs/busy.c."""

    def __init__(self, path):
        path.write_bytes(b"\0" * (SLOT * SLOTS))
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)

    def slot(self, n):
        return struct.unpack_from("=q", self.memory, n * SLOT)[0]

    def pid(self):
        return self.slot(0)

    def thread(self, n):
        return self.slot(n + 1)

    def all(self):
        return sum(self.thread(n) for n in range(THREADS))


def start(weir, program, scratch, *ending):
    """Starts the program under `weir trace`; it works in the directory scratch/files."""
    (scratch / "files").mkdir()
    counters = Counters(scratch / "counters")
    command = [weir, "trace", "--out", scratch / "trace", "--", program, scratch / "counters", THREADS, CALLS, *ending]
    process = subprocess.Popen([str(word) for word in command], cwd=scratch / "files", stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    return process, counters


def wait_for(counters, calls, process):
    """Waits until so many calls are made, or the program is at its end."""
    while counters.all() < calls and process.poll() is None:
        time.sleep(0.0002)


def records_per_thread(weir, trace_directory):
    """Counts records by the files' names, tN_M."""
    done = run([weir, "stat", trace_directory, "--json", "--top", "1000"])
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode())
    stat, found = json.loads(done.stdout), {}
    for file in stat["files_by_time"]:
        match = re.search(r"/t(\d+)_\d+$", file["name"])
        if match:
            found[int(match.group(1))] = found.get(int(match.group(1)), 0) + file["calls"]
    return stat, found


def check_records(checks, what, weir, scratch, counters, threads=range(THREADS)):
    problem = verify(weir, scratch / "trace")
    checks.expect(f"{what}: verifies", not problem, problem)
    stat, found = records_per_thread(weir, scratch / "trace")
    lost = [counters.thread(n) - found.get(n, 0) for n in threads]
    checks.expect(f"{what}: {stat['records']} records; lost per thread {lost}", max(lost) <= 1 and min(lost) >= -1)
    checks.equal(f"{what}: nothing counted as lost", stat["lost"], 0)


def killed(checks, weir, program, at, number):
    with scratch_directory() as scratch:
        scratch = Path(scratch)
        process, counters = start(weir, program, scratch)
        wait_for(counters, at, process)
        if counters.pid():
            os.kill(counters.pid(), signal.SIGKILL)
        out, said = process.communicate(timeout=120)
        what = f"kill {number} at call {counters.all()}"
        if not counters.pid():
            return checks.expect(f"{what}: the program began", False, said.decode())
        statuses = [-signal.SIGKILL, 128 + signal.SIGKILL]
        if counters.all() == THREADS * CALLS:
            statuses.append(0)  # the program may have been at its end before the kill came
        checks.expect(f"{what}: status passed through", process.returncode in statuses,
                      f"{process.returncode}, {said.decode()}")
        return check_records(checks, what, weir, scratch, counters)


def both_killed(checks, weir, program, at, number):
    with scratch_directory() as scratch:
        scratch = Path(scratch)
        process, counters = start(weir, program, scratch)
        wait_for(counters, at, process)
        process.kill()
        if not counters.pid():
            process.communicate(timeout=120)
            return checks.expect(f"both killed {number}: the program began", False)
        os.kill(counters.pid(), signal.SIGKILL)
        process.communicate(timeout=120)
        while Path(f"/proc/{counters.pid()}/stat").exists() and \
                Path(f"/proc/{counters.pid()}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
            time.sleep(0.001)
        what = f"kill {number} of weir trace and the program at call {counters.all()}"
        merged = run([weir, "merge", scratch / "trace"])
        checks.expect(f"{what}: weir merge", merged.returncode == 0, merged.stderr.decode())
        check_records(checks, what, weir, scratch, counters)


def ended(checks, weir, program, how, at, statuses):
    with scratch_directory() as scratch:
        scratch = Path(scratch)
        process, counters = start(weir, program, scratch, at, how)
        _, said = process.communicate(timeout=120)
        what = f"{how} at call {at} of the first thread"
        checks.expect(f"{what}: status passed through", process.returncode in statuses,
                      f"{process.returncode}, {said.decode()}")
        check_records(checks, what, weir, scratch, counters,
                      [*range(THREADS), 9] if how == "exec" else range(THREADS))


def main():
    count = 100 if LONG else 20
    given = arguments(__doc__, ("--count", dict(type=int, default=count)),
                      ("--seed", dict(type=int, default=random.SystemRandom().randrange(1 << 30))))
    print(f"seed {given.seed}")
    choose = random.Random(given.seed)
    checks = Checks()
    program = given.programs / "busy"

    def moment():  # early ones more often: they are cheap
        return int(THREADS * CALLS * choose.random() ** 2)

    for number in range(given.count):
        killed(checks, given.weir, program, moment(), number)
    for number in range(max(1, given.count // 20)):
        both_killed(checks, given.weir, program, max(1, moment()), number)
        for how, status in (("abort", signal.SIGABRT), ("segv", signal.SIGSEGV), ("term", signal.SIGTERM)):
            ended(checks, given.weir, program, how, choose.randrange(CALLS // 4), (-status, 128 + status))
        ended(checks, given.weir, program, "_exit", choose.randrange(CALLS // 4), (5,))
        ended(checks, given.weir, program, "exec", choose.randrange(CALLS // 4), (6,))
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
