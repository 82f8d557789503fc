#!/usr/bin/env python3
"""What is promised when something dies, is cut off or is full; each so many times (--rounds).

Usage: failures.py WEIR PLAYER [--rounds N]
"""
import argparse
import errno
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from common import Checks, Job, wait_until


def quietly(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, check=False).returncode == 0


def client_killed(checks, weir, player, rounds):
    """What it had not published is gone, what it had is there for all, and is flushed."""
    with Job(weir, player, servers=2) as job:
        reader = job.client(1)
        for i in range(rounds):
            writer = job.client(0)
            writer.do("open", f"f{i}", "commit")
            writer.do("write", 0, "published")
            writer.do("sync")
            writer.do("write", 0, "forgotten")
            writer.kill()
            reader.do("open", f"f{i}", "commit")
            checks.equal(f"killed client {i}", reader.do("read", 0, 99), "ok published")
            checks.equal(f"killed client {i}: its bytes flushed", reader.do("flush"), "ok 0")
            reader.do("close")
            checks.equal(f"killed client {i}: in the backing directory", (job.backing / f"f{i}").read_text(), "published")


def server_killed(checks, weir, player, rounds, number):
    """The node's own agent (0) or the other owner (1) dies under load and comes back: nothing attached is lost."""
    with Job(weir, player, servers=2) as job:
        client = job.client(0)
        for i in range(rounds):
            written = []
            stop = threading.Event()

            def load():
                n = 0
                while not stop.is_set() or n < 20:
                    name = f"r{i}n{n}"
                    if client.do("open", name, "commit") != "ok 0":
                        break
                    client.do("write", 0, name)
                    if client.do("sync") == "ok 0":
                        written.append(name)
                    client.do("close")
                    n += 1

            loader = threading.Thread(target=load)
            loader.start()
            wait_until(lambda: len(written) >= 5)
            job.kill_server(number)
            job.start_server(number)
            before = len(written)
            wait_until(lambda: len(written) > before + 5)
            stop.set()
            loader.join(timeout=60)
            checks.equal(f"server {number} killed, round {i}: the client went on", len(written) > before, True)
            reader = job.client(1)
            lost = []
            for name in written:
                reader.do("open", name, "commit", "old")
                if reader.do("read", 0, 99) != f"ok {name}":
                    lost.append(name)
                reader.do("close")
            checks.equal(f"server {number} killed, round {i}: lost", lost, [])
            reader.end()
        client.end()
        checks.equal(f"server {number} killed: stop", job.stop().returncode, 0)


def server_gone(checks, weir, player):
    """A server that does not come back: calls fail with EIO after the limit, and never hang."""
    with Job(weir, player, options=("--limit", "1s")) as job:
        client = job.client()
        client.do("open", "f", "commit")
        client.do("write", 0, "x")
        job.kill_server(0)
        checks.equal("a server that stays away", client.do("sync"), f"error {errno.EIO}")
        job.start_server(0)
        checks.equal("and comes back", wait_until(lambda: client.do("sync") == "ok 0"), True)
        checks.equal("and still has the file", client.do("read", 0, 9), "ok x")


def buffer_full(checks, weir, player):
    """The quota is used up: what is over goes to the backing directory, or ENOSPC, as set."""
    with Job(weir, player, options=("--quota", "8M")) as job:
        client = job.client()
        client.do("open", "f", "session")
        checks.equal("spills", client.do("fill", 0, 64 << 20, "s"), f"ok {64 << 20}")
        checks.equal("spilled bytes are read", client.do("read", (64 << 20) - 4, 9), "ok ssss")
        client.do("close")
        checks.equal("stop after a spill", job.stop().returncode, 0)
        checks.equal("what was spilled is there", (job.backing / "f").stat().st_size, 64 << 20)
        checks.equal("nothing else is", [path.name for path in job.backing.iterdir()], ["f"])
    with Job(weir, player, options=("--quota", "8M", "--when-full", "fail")) as job:
        client = job.client()
        client.do("open", "f", "commit")
        client.do("write", 0, "kept")
        client.do("sync")
        checks.equal("a full buffer", client.do("fill", 100, 64 << 20, "s"), f"error {errno.ENOSPC}")
        checks.equal("what was there stays", client.do("read", 0, 4), "ok kept")


def backing_read_only(checks, weir, player):
    """A flush that fails keeps the data, says so, and succeeds when the cause is gone."""
    place = Path(tempfile.mkdtemp(prefix="weir-cluster-"))
    if not quietly("mount", "-t", "tmpfs", "weir-test", place):
        checks.skip("a read-only backing directory", "cannot mount")
        place.rmdir()
        return
    try:
        with Job(weir, player, backing=place) as job:
            client = job.client()
            client.do("open", "f", "commit")
            client.do("write", 0, "precious")
            client.do("sync")
            quietly("mount", "-o", "remount,ro", place)
            checks.equal("flush to a read-only directory", client.do("flush"), f"error {errno.EROFS}")
            done = job.run("stop")
            checks.equal("stop says that it cannot", (done.returncode, "cannot flush" in done.stderr), (4, True))
            checks.equal("the data stays", client.do("read", 0, 99), "ok precious")
            quietly("mount", "-o", "remount,rw", place)
            checks.equal("stop when the cause is gone", job.stop().returncode, 0)
            checks.equal("and the data is there", (place / "f").read_text(), "precious")
    finally:
        quietly("umount", "-l", place)
        place.rmdir()


class NamespaceJob(Job):
    """A server in each network namespace, listening at its address and nowhere else."""

    def __init__(self, weir, player, namespaces, addresses):
        self.namespaces, self.addresses = namespaces, addresses
        super().__init__(weir, player)

    def start(self, servers, options):
        return self.run("start", "--prepare", "--hosts", ",".join(self.addresses), *options, named=False)

    def started(self):
        for number in range(len(self.namespaces)):
            self.start_server(number)
        wait_until(lambda: self.run("status").returncode == 0)

    def start_server(self, number):
        self.launch(["ip", "netns", "exec", self.namespaces[number]], number)


def network_cut(checks, weir, player, rounds):
    """Two nodes in network namespaces; the link goes down and up again: calls wait, then go on."""
    names = [f"weir{os.getpid()}{side}" for side in "ab"]
    try:
        if not (quietly("ip", "netns", "add", names[0]) and quietly("ip", "netns", "add", names[1]) and
                quietly("ip", "link", "add", "wa", "netns", names[0], "type", "veth", "peer", "name", "wb", "netns", names[1])):
            checks.skip("a network that is cut", "cannot make network namespaces")
            return
        addresses = ["10.231.7.1", "10.231.7.2"]
        for name, device, address in zip(names, ("wa", "wb"), addresses):
            quietly("ip", "-n", name, "addr", "add", f"{address}/24", "dev", device)
            quietly("ip", "-n", name, "link", "set", device, "up")
            quietly("ip", "-n", name, "link", "set", "lo", "up")
        # UCX wants a device with a carrier, which comes a moment after the link.
        for name, device in zip(names, ("wa", "wb")):
            wait_until(lambda name=name, device=device: "state UP" in subprocess.run(
                ["ip", "-n", name, "link", "show", device], capture_output=True, text=True, check=False).stdout)
        with NamespaceJob(weir, player, names, addresses) as job:
            one, two = job.client(0), job.client(1)
            for i in range(rounds):
                one.do("open", f"f{i}", "commit")
                one.do("write", 0, f"first{i}.")
                checks.equal(f"cut {i}: before", one.do("sync"), "ok 0")
                two.do("open", f"f{i}", "commit", "old")
                quietly("ip", "-n", names[0], "link", "set", "wa", "down")
                one.do("write", 0, f"second{i}")
                one.tell("sync")
                two.tell("size")
                time.sleep(0.3)  # long enough for both to meet the cut, where their way leads over it
                quietly("ip", "-n", names[0], "link", "set", "wa", "up")
                checks.equal(f"cut {i}: the writer goes on", one.hear(), "ok 0")
                checks.equal(f"cut {i}: the reader goes on", two.hear()[:2], "ok")
                checks.equal(f"cut {i}: what is read", two.do("read", 0, 99), f"ok second{i}")
                one.do("close")
                two.do("close")
    finally:
        for name in names:
            quietly("ip", "netns", "del", name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("player")
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    checks = Checks()
    client_killed(checks, given.weir, given.player, given.rounds)
    for number in (0, 1):
        server_killed(checks, given.weir, given.player, given.rounds, number)
    server_gone(checks, given.weir, given.player)
    buffer_full(checks, given.weir, given.player)
    backing_read_only(checks, given.weir, given.player)
    network_cut(checks, given.weir, given.player, given.rounds)
    sys.exit(checks.exit_code())


main()
