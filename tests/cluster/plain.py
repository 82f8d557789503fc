#!/usr/bin/env python3
"""The file system through its C interface: servers and clients as processes, over shared memory and UCX.

Usage: plain.py WEIR PLAYER
"""
import errno
import json
import stat
import subprocess
import sys

from common import Checks, Job, Player


def models(checks, weir, player):
    with Job(weir, player, servers=2) as job:
        one, two = job.client(0), job.client(1)
        checks.equal("connected", (one.hello, two.hello), ("ok 0", "ok 0"))
        for model, after_write, after_sync, after_close in (("posix", "x", "x", "x"), ("commit", "", "x", "x"),
                                                            ("session", "", "", "")):
            name = f"of-{model}"
            one.do("open", name, model)
            two.do("open", name, model)
            one.do("write", 0, "x")
            checks.equal(f"{model}: after a write", two.do("read", 0, 9), f"ok {after_write}")
            one.do("sync")
            checks.equal(f"{model}: after a sync", two.do("read", 0, 9), f"ok {after_sync}")
            one.do("close")
            checks.equal(f"{model}: after a close", two.do("read", 0, 9), f"ok {after_close}")
            two.do("close")
            two.do("open", name, model)
            checks.equal(f"{model}: after opening again", two.do("read", 0, 9), "ok x")
            two.do("close")
        facts = json.loads(job.run("stats", "--json").stdout)
        checks.equal("stats: attaches", facts["rpcs"]["attach"] > 0, True)
        checks.equal("stats: one read from the other node", facts["bytes"]["peer_read"] > 0, True)
        checks.equal("status", job.run("status").returncode, 0)
        done = job.stop()
        checks.equal("stop", (done.returncode, done.stderr), (0, ""))
        checks.equal("flushed", sorted(path.name for path in job.backing.iterdir()),
                     ["of-commit", "of-posix", "of-session"])
        checks.equal("nothing stays in the buffer", list(job.buffer.iterdir()), [])


def big_and_odd(checks, weir, player):
    with Job(weir, player, servers=2) as job:
        one, two = job.client(0), job.client(1)
        one.do("open", "big", "session")
        size = 1 << 30
        checks.equal("a write of 1 GiB", one.do("fill", 5, size, "b"), f"ok {size}")
        checks.equal("a negative offset", one.do("write", -1, "x"), f"error {errno.EINVAL}")
        checks.equal("a write beyond the longest file", one.do("write", 2**63 - 1, "xy"), f"error {errno.EFBIG}")
        one.do("close")
        two.do("open", "big", "session", "old")
        checks.equal("its end", two.do("read", size, 100), "ok " + "b" * 5)
        checks.equal("its start", two.do("read", 0, 8), "ok .....bbb")
        checks.equal("its size", two.do("size"), f"ok {size + 5}")
        checks.equal("past its end", two.do("read", size + 5, 10), "ok ")
        two.do("unlink", "big")
        two.do("close")
        checks.equal("outside", one.do("open", "/etc/passwd", "session", "old"), f"error {errno.EXDEV}")
        checks.equal("unknown model", one.do("open", "f", "sometimes"), f"error {errno.EINVAL}")


def who_may(checks, weir, player):
    with Job(weir, player) as job:
        checks.equal("the job file is the owner's", stat.S_IMODE(job.file.stat().st_mode), 0o600)
        text = job.file.read_text()
        secret = json.loads(text)["secret"]
        job.file.write_text(text.replace(secret, "0" * len(secret)))
        intruder = Player(job, 0)
        checks.equal("a wrong secret is refused", intruder.hello.startswith("error"), True)
        intruder.kill()
        job.file.write_text(text)
        job.file.chmod(0o644)
        checks.equal("a job file that others may read is refused", job.run("status").returncode, 2)
        job.file.chmod(0o600)


def wrong_use(checks, weir, scratch_job):
    def start(*words):
        return subprocess.run([weir, "fs", "start", "--job", scratch_job.scratch / "other.json", *map(str, words)],
                              capture_output=True, text=True, check=False)

    checks.equal("no such buffer", start("--local", 1, "--buffer", "/nowhere", "--backing", scratch_job.backing).returncode, 2)
    done = start("--local", 1, "--buffer", scratch_job.buffer, "--backing", scratch_job.backing, "--consistency", "strong")
    checks.equal("unknown model", (done.returncode, "posix, commit" in done.stderr), (2, True))
    done = subprocess.run([weir, "fs", "start", "--job", scratch_job.file, "--local", "1", "--buffer",
                           scratch_job.buffer, "--backing", scratch_job.backing], capture_output=True, text=True,
                          check=False)
    checks.equal("a job that still runs", (done.returncode, "still runs" in done.stderr), (2, True))


def main():
    weir, player = sys.argv[1:3]
    checks = Checks()
    models(checks, weir, player)
    big_and_odd(checks, weir, player)
    who_may(checks, weir, player)
    with Job(weir, player) as job:
        wrong_use(checks, weir, job)
    sys.exit(checks.exit_code())


main()
