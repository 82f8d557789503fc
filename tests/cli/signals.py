#!/usr/bin/env python3
"""Ctrl-C and SIGTERM end a waiting or a working command with 130, at once and without a torn file.

Usage: signals.py WEIR
"""
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

weir = sys.argv[1]
failed = 0
signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background of a script it is ignored, also by children


def expect(what, right):
    global failed
    failed += not right
    print(f"{'ok' if right else 'FAILED'}: {what}")


def until(condition, what):
    """Waits for a state of the other process, never for a time to pass."""
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.005)


def threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def blocked_in_read(pid):
    """Whether the process sits in read(0, ...): system call 0 on x86-64, 63 on arm64."""
    words = Path(f"/proc/{pid}/syscall").read_text().split()
    return words[0] in ("0", "63") and words[1] == "0x0"


for number in (signal.SIGINT, signal.SIGTERM):
    waiting = subprocess.Popen([weir, "fit", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until(lambda: blocked_in_read(waiting.pid), "weir never read its input")
    waiting.send_signal(number)
    _, said = waiting.communicate(timeout=60)
    expect(f"{number.name} while reading: exit {waiting.returncode}, '{said.decode().strip()}'", waiting.returncode == 130)

with tempfile.TemporaryDirectory() as scratch:
    table = Path(scratch) / "runs.csv"
    with table.open("w") as out:  # enough groups that the work cannot be over before the signal
        out.write("g,x\n")
        for group in range(4000):
            for i in range(60):
                out.write(f"{group},{100 + (group * 7919 + i * i * 31) % 997 + i / 7}\n")
    result = Path(scratch) / "models.csv"
    working = subprocess.Popen([weir, "fit", str(table), "--column", "x", "--group", "g", "--threads", "2", "--csv", str(result)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until(lambda: threads(working.pid) > 1, "weir never started its threads")
    working.send_signal(signal.SIGINT)
    out, said = working.communicate(timeout=60)
    expect(f"SIGINT while fitting: exit {working.returncode}, '{said.decode().strip()}'", working.returncode == 130)
    expect("nothing on stdout, no torn file", not out and sorted(os.listdir(scratch)) == ["runs.csv"])

sys.exit(1 if failed else 0)
