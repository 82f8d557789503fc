#!/usr/bin/env python3
"""The file system through its C interface: servers and clients as processes, over shared memory and UCX.

Usage: plain.py WEIR PLAYER
"""
import errno
import json
import os
import random
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

from common import Checks, Job, Player, scratch_directory, wait_until


def see(checks, what, one, two, name, model, after_write, after_sync, after_close):
    """What a reader on the other node sees that has the file open all the time, and in the end one who opens it anew."""
    one.do("open", name, model)
    two.do("open", name, model)
    one.do("write", 0, "x")
    checks.equal(f"{what}: after a write", two.do("read", 0, 9), f"ok {after_write}")
    one.do("sync")
    checks.equal(f"{what}: after a sync", two.do("read", 0, 9), f"ok {after_sync}")
    one.do("close")
    checks.equal(f"{what}: after a close", two.do("read", 0, 9), f"ok {after_close}")
    two.do("close")
    two.do("open", name, model)
    checks.equal(f"{what}: after opening again", two.do("read", 0, 9), "ok x")
    two.do("close")


SEEN = {"posix": ("x", "x", "x"), "posix-lock": ("x", "x", "x"), "commit": ("", "x", "x"), "session": ("", "", "")}


def models(checks, weir, player, workers):
    with Job(weir, player, servers=2, options=("--workers", workers)) as job:
        one, two = job.client(0), job.client(1)
        checks.equal("connected", (one.hello, two.hello), ("ok 0", "ok 0"))
        names = [(f"of-{model}{i}", model) for model in SEEN for i in range(workers * 2)]
        for name, model in names:
            see(checks, f"{workers} workers, {name}", one, two, name, model, *SEEN[model])
        facts = job.facts()
        checks.equal("stats: attaches", facts["rpcs"]["attach"] > 0, True)
        checks.equal("stats: one read from the other node", facts["bytes"]["peer_read"] > 0, True)
        checks.equal("status", job.run("status").returncode, 0)
        done = job.stop()
        checks.equal("stop", (done.returncode, done.stderr), (0, ""))
        checks.equal("flushed", {path.name: path.read_text() for path in job.backing.iterdir()}, {name: "x" for name, _ in names})
        checks.equal("nothing stays in the buffer", list(job.buffer.iterdir()), [])


def by_path(checks, weir, player):
    """`weir fs start --policy`: files that are opened without a model have that of their path."""
    with scratch_directory() as scratch:
        rows = Path(scratch) / "run.policy"
        rows.write_text("# weir policy 1\nsession *.a\ncommit */of-*.b\nposix-lock *.b\n")
        with Job(weir, player, servers=2, options=("--consistency", "posix", "--policy", rows)) as job:
            one, two = job.client(0), job.client(1)
            for name, model in (("f.a", "session"), ("of-f.b", "commit"), ("f.b", "posix-lock"), ("f.c", "posix")):
                see(checks, f"{name} by policy", one, two, name, "-", *SEEN[model])
            see(checks, "f2.a, though the policy says otherwise", one, two, "f2.a", "posix", *SEEN["posix"])


def scattered(checks, weir, player):
    """One message attaches however many pieces; of a peer on the same node no agent is asked for them."""
    count, stride, length = 20_000, 37, 5
    pieces = (length * "abcdefghijklmnopqrstuvwxyz"[i % 26] for i in range(count))
    expected = ((stride - length) * ".").join(pieces)
    with Job(weir, player, servers=2) as job:
        writer = job.client(0)
        writer.do("open", "f", "session")
        checks.equal("scattered: write", writer.do("scatter", stride, length, count), f"ok {count * length}")
        before = job.facts()["rpcs"]["attach"]
        checks.equal("scattered: close", writer.do("close"), "ok 0")
        facts = job.facts()
        checks.equal("scattered: attaches", facts["rpcs"]["attach"] - before, 1)
        checks.equal("scattered: extents", facts["extents"], count)
        for node, fetched in ((0, 0), (1, count * length)):
            reader = job.client(node)
            reader.do("open", "f", "session", "old")
            checks.equal(f"scattered: read on node {node}", reader.do("read", 0, count * stride), f"ok {expected}")
            checks.equal(f"scattered: bytes asked for by node {node}", job.facts()["bytes"]["peer_read"], fetched)
        checks.equal("scattered: stop", job.stop().returncode, 0)
        checks.equal("scattered: flushed", (job.backing / "f").read_bytes().replace(b"\0", b".").decode() == expected, True)


def tokens_counted(checks, weir, player):
    """Requests for tokens and what became of them, in a run that has one outcome."""
    with Job(weir, player, servers=2) as job:
        one, two = job.client(0), job.client(1)
        for client in (one, two):
            client.do("open", "f", "posix-lock")
        checks.equal("tokens: no request before a write", job.facts()["rpcs"]["lock_enter"], 0)
        for _ in range(10):
            one.do("write", 0, "x")
        two.do("write", 1, "y")
        two.do("write", 2, "y")
        facts = job.facts()
        checks.equal("tokens: of each server", [server["locks"] for server in facts["servers"]],
                     [{"new": 1, "local": 9, "conflict": 0}, {"new": 0, "local": 1, "conflict": 1}])
        checks.equal("tokens: of all", facts["locks"], {"new": 1, "local": 10, "conflict": 1})
        rpcs = facts["rpcs"]
        checks.equal("tokens: requests of clients", (rpcs["lock_seat"], rpcs["lock_enter"], rpcs["lock_look"]), (2, 2, 0))
        unused = [kind for kind in ("lock_to_owner", "lock_from_owner", "lock_ask", "lock_flush") if rpcs[kind] == 0]
        checks.equal("tokens: requests of servers", unused, [])
        checks.equal("tokens: a read", one.do("read", 0, 3), "ok xyy")
        checks.equal("tokens: after a read", job.facts()["rpcs"]["lock_look"], 1)
        table = job.run("stats").stdout
        checks.equal("tokens: the table", ("rpcs.lock_enter" in table, "rpcs.rename" in table), (True, False))


def ends(checks, weir, player):
    """A program that ends normally has published like one that closes; one that does not, has not."""
    with Job(weir, player, servers=2) as job:
        reader = job.client(1)
        for model, seen in (("posix-lock", "text"), ("commit", "text"), ("session", "text"), ("eventual", "text"), ("none", "")):
            writer = job.client(0)
            writer.do("open", f"exit-{model}", model)
            writer.do("write", 0, "text")
            writer.tell("exit")
            checks.equal(f"{model}: exit status", writer.process.wait(timeout=60), 0)
            reader.do("open", f"exit-{model}", model)
            checks.equal(f"{model}: after exit()", reader.do("read", 0, 9), f"ok {seen}")
            reader.do("close")
        for model in ("commit", "session"):
            writer = job.client(0)
            writer.do("open", f"quit-{model}", model)
            writer.do("write", 0, "text")
            writer.tell("quit")
            writer.process.wait(timeout=60)
            reader.do("open", f"quit-{model}", model)
            checks.equal(f"{model}: after _exit()", reader.do("read", 0, 9), "ok ")
            reader.do("close")


def big_and_odd(checks, weir, player):
    with Job(weir, player, servers=2) as job:
        one, two = job.client(0), job.client(1)
        one.do("open", "big", "session")
        size = 1 << 30
        checks.equal("a write of 1 GiB", one.do("fill", 5, size, "b"), f"ok {size}")
        checks.equal("a negative offset", one.do("write", -1, "x"), f"error {errno.EINVAL}")
        checks.equal("a write beyond the longest file", one.do("write", 2**63 - 1, "xy"), f"error {errno.EFBIG}")
        checks.equal("a write of nothing", one.do("fill", size + 100, 0, "b"), "ok 0")
        checks.equal("a write at 2^63", one.do("write", 2**63, "x")[:5], "error")
        checks.equal("truncating to a negative size", one.do("truncate", -1), f"error {errno.EINVAL}")
        checks.equal("a read of nothing", one.do("read", 0, 0), "ok ")
        checks.equal("a read at 2^63 - 1", one.do("read", 2**63 - 1, 0), "ok ")
        one.do("close")
        two.do("open", "big", "session", "old")
        checks.equal("its end", two.do("read", size, 100), "ok " + "b" * 5)
        checks.equal("its start", two.do("read", 0, 8), "ok .....bbb")
        checks.equal("its size", two.do("size"), f"ok {size + 5}")
        checks.equal("past its end", two.do("read", size + 5, 10), "ok ")
        two.do("unlink", "big")
        checks.equal("an unlinked file that is open", two.do("read", size, 100), "ok " + "b" * 5)
        two.do("close")
        checks.equal("and closed", two.do("open", "big", "session", "old"), f"error {errno.ENOENT}")
        for model in ("posix", "posix-lock", "commit"):
            one.do("open", f"far-{model}", model)
            two.do("open", f"far-{model}", model)
            checks.equal(f"{model}: a byte at the end of the longest file", one.do("write", 2**63 - 2, "z"), "ok 1")
            one.do("sync")
            checks.equal(f"{model}: read by another", two.do("read", 2**63 - 3, 2), "ok .z")
            checks.equal(f"{model}: its size", two.do("size"), f"ok {2**63 - 1}")
            checks.equal(f"{model}: nothing fits behind it", one.do("write", 2**63 - 1, "z"), f"error {errno.EFBIG}")
            checks.equal(f"{model}: cut again", one.do("truncate", 3), "ok 0")
            checks.equal(f"{model}: and short for all", two.do("read", 0, 9), "ok ...")
            one.do("close")
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


class LaunchedJob(Job):
    """Servers started by mpirun: by `weir fs start --hosts`, or by hand after --prepare."""

    by_hand = None

    def start(self, servers, options):
        if servers == 1:
            return self.run("start", "--hosts", "localhost", *options, named=False)
        return self.run("start", "--prepare", "--local", servers, *options, named=False)

    def started(self):
        count = len(json.loads(self.file.read_text())["servers"])
        if count > 1:
            server = Path(self.weir).with_name("weir-server")
            self.by_hand = subprocess.Popen(["mpirun.openmpi", "--oversubscribe", "-n", str(count), server, "--job", self.file],
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until(lambda: self.run("status").returncode == 0)

    def remove(self):
        self.run("stop")
        if self.by_hand is not None:
            self.by_hand.wait(timeout=60)
        super().remove()


def launched(checks, weir, player):
    if shutil.which("mpirun.openmpi") is None:
        checks.skip("servers started by mpirun", "no Open MPI")
        return
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    for servers in (1, 2):
        with LaunchedJob(weir, player, servers=servers) as job:
            one, two = job.client(0), job.client(servers - 1)
            one.do("open", "f", "commit")
            one.do("write", 0, "text")
            one.do("sync")
            two.do("open", "f", "commit", "old")
            checks.equal(f"{servers} by mpirun: read", two.do("read", 0, 9), "ok text")
            checks.equal(f"{servers} by mpirun: status", job.run("status").returncode, 0)
            checks.equal(f"{servers} by mpirun: stop", job.stop().returncode, 0)
            checks.equal(f"{servers} by mpirun: flushed", (job.backing / "f").read_text(), "text")
            if job.by_hand is not None:
                checks.equal(f"{servers} by mpirun: its status", job.by_hand.wait(timeout=60), 0)


def strangers(checks, weir, player):
    """Random bytes at the sockets where servers listen, and connections that say nothing."""
    with Job(weir, player, servers=2) as job:
        one, two = job.client(0), job.client(1)
        addresses = [address for server in json.loads(job.file.read_text())["servers"] for address in server["addresses"]]
        draw = random.Random(1)
        silent = []
        for i in range(60):
            host, port = addresses[i % len(addresses)].rsplit(":", 1)
            visitor = socket.create_connection((host, int(port)), timeout=10)
            if i % 3 == 0:
                silent.append(visitor)
                continue
            try:
                visitor.sendall(draw.randbytes(draw.choice((1, 7, 64, 5000))))
            except OSError:
                pass  # they may hang up first
            visitor.close()
        checks.equal("strangers: the servers run", job.run("status").returncode, 0)
        for i in range(6):
            one.do("open", f"f{i}", "commit")
            one.do("write", 0, "text")
            one.do("sync")
            two.do("open", f"f{i}", "commit", "old")
            checks.equal(f"strangers: file {i}", two.do("read", 0, 9), "ok text")
            one.do("close")
            two.do("close")
        for visitor in silent:
            visitor.close()
        checks.equal("strangers: stop", job.stop().returncode, 0)


def wrong_use(checks, weir, scratch_job):
    def start(*words):
        return subprocess.run([weir, "fs", "start", "--job", scratch_job.scratch / "other.json", *map(str, words)],
                              capture_output=True, text=True, check=False)

    checks.equal("no such buffer", start("--local", 1, "--buffer", "/nowhere", "--backing", scratch_job.backing).returncode, 2)
    done = start("--local", 1, "--buffer", scratch_job.buffer, "--backing", scratch_job.backing, "--consistency", "strong")
    checks.equal("unknown model", (done.returncode, "posix, posix-lock, commit" in done.stderr), (2, True))
    done = subprocess.run([weir, "fs", "start", "--job", scratch_job.file, "--local", "1", "--buffer",
                           scratch_job.buffer, "--backing", scratch_job.backing], capture_output=True, text=True,
                          check=False)
    checks.equal("a job that still runs", (done.returncode, "still runs" in done.stderr), (2, True))


def main():
    weir, player = sys.argv[1:3]
    checks = Checks()
    for workers in (1, 2):
        models(checks, weir, player, workers)
    by_path(checks, weir, player)
    scattered(checks, weir, player)
    tokens_counted(checks, weir, player)
    ends(checks, weir, player)
    big_and_odd(checks, weir, player)
    who_may(checks, weir, player)
    strangers(checks, weir, player)
    launched(checks, weir, player)
    with Job(weir, player) as job:
        wrong_use(checks, weir, job)
    sys.exit(checks.exit_code())


main()
