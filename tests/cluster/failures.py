#!/usr/bin/env python3
"""What is promised when something dies, is cut off or is full; each so many times (--rounds).

Usage: failures.py WEIR PLAYER [--rounds N] [--only PART]
"""
import argparse
import errno
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from common import Checks, Job, wait_until
from full_devices import device_full, device_full_to_fail, device_overcommitted, tokens_on_a_full_device
from namespaces import NamespaceJob, Namespaces, quietly


# A call that is to end after the job's limit ends so much later at the latest, on however busy a machine.
HANG = 60


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
            # Under tokens every write counts, whatever the process did afterwards; its locks end with it.
            writer = job.client(0)
            writer.do("open", f"t{i}", "posix-lock")
            writer.do("write", 0, "by token")
            writer.do("lock", 0, 100)
            writer.do("write", 0, "BY")
            writer.kill()
            reader.do("open", f"t{i}", "posix-lock")
            checks.equal(f"killed client {i}: by token", reader.do("read", 0, 99), "ok BY token")
            checks.equal(f"killed client {i}: its lock", reader.do("lock", 0, 100), "ok 0")
            reader.do("close")


def server_killed(checks, weir, player, rounds, number, model):
    """The node's own agent (0) or the other owner (1) dies under load and comes back: nothing attached is lost, nor
    anything that was written under a token."""
    what = f"{model}: server {number} killed"
    with Job(weir, player, servers=2) as job:
        client = job.client(0)
        for i in range(rounds):
            written = []
            stop = threading.Event()

            def load():
                n = 0
                while not stop.is_set() or n < 20:
                    name = f"r{i}n{n}"
                    if client.do("open", name, model) != "ok 0":
                        break
                    wrote = client.do("write", 0, name) == f"ok {len(name)}"
                    if wrote and (model == "posix-lock" or client.do("sync") == "ok 0"):
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
            checks.equal(f"{what}, round {i}: the client went on", len(written) > before, True)
            reader = job.client(1)
            lost = []
            for name in written:
                reader.do("open", name, model, "old")
                if reader.do("read", 0, 99) != f"ok {name}":
                    lost.append(name)
                reader.do("close")
            checks.equal(f"{what}, round {i}: lost of {len(written)}", lost, [])
            reader.end()
        client.end()
        checks.equal(f"{what}: stop", job.stop().returncode, 0)


def server_killed_when_full(checks, weir, player, rounds):
    """Either server dies while a full buffer is flushed and used again: nothing attached is lost."""
    size = 300_000
    with Job(weir, player, servers=2, options=("--quota", "4M")) as job:
        client = job.client(0)
        for i in range(rounds):
            written = []
            stop = threading.Event()

            def load():
                n = 0
                while not stop.is_set() and n < 2000:
                    if client.do("open", f"p{i}n{n}", "session") != "ok 0":
                        break
                    filled = client.do("fill", 0, size, "abcdefg"[n % 7])
                    if client.do("close") == "ok 0" and filled == f"ok {size}":
                        written.append(n)
                    n += 1

            loader = threading.Thread(target=load)
            loader.start()
            wait_until(lambda: len(written) >= 30)
            job.kill_server(i % 2)
            job.start_server(i % 2)
            before = len(written)
            wait_until(lambda: len(written) > before + 20)
            stop.set()
            loader.join(timeout=60)
            checks.equal(f"killed when full, round {i}: the client went on", len(written) > before, True)
            reader = job.client((i + 1) % 2)
            lost = []
            for n in written:
                reader.do("open", f"p{i}n{n}", "session", "old")
                if reader.do("read", 0, size) != "ok " + size * "abcdefg"[n % 7]:
                    lost.append(n)
                reader.do("close")
            checks.equal(f"killed when full, round {i}: lost", lost, [])
            reader.end()
        client.end()
        checks.equal("killed when full: stop", job.stop().returncode, 0)


def client_killed_at_any_moment(checks, weir, player, rounds):
    """A client dies while it writes, attaches and closes: what it had reported is there, whole."""
    with Job(weir, player, servers=2) as job:
        reader = job.client(1)
        for i in range(rounds):
            writer = job.client(0)
            done = []

            def load():
                try:
                    for n in range(10000):
                        if writer.do("open", f"k{i}n{n}", "commit") != "ok 0":
                            return
                        writer.do("write", 0, f"content of {n}")
                        if writer.do("sync") == "ok 0":
                            done.append(n)
                        writer.do("close")
                except (OSError, ValueError):
                    return

            loader = threading.Thread(target=load)
            loader.start()
            wait_until(lambda: len(done) > 3 + i % 5)
            writer.kill()
            loader.join(timeout=60)
            lost = []
            for n in done:
                reader.do("open", f"k{i}n{n}", "commit", "old")
                if reader.do("read", 0, 99) != f"ok content of {n}":
                    lost.append(n)
                reader.do("close")
            checks.equal(f"client killed at any moment {i}: lost of {len(done)}", lost, [])


def server_gone(checks, weir, player, rounds):
    """A server that does not come back: calls fail with EIO after the limit, and never hang. When it does come back they
    go on."""
    with Job(weir, player, options=("--limit", "1s")) as job:
        for i in range(rounds):
            calls = {"open": ("ok 0", "open", f"new{i}", "commit"), "read": ("ok x", "read", 0, 9), "size": ("ok 1", "size"),
                     "sync": ("ok 0", "sync"), "write": ("ok 1", "write", 0, "y"), "append": ("ok 1", "append", "y"),
                     "rename": ("ok 0", "rename", f"rename{i}", f"renamed{i}"), "unlink": ("ok 0", "unlink", f"unlink{i}"),
                     "truncate": ("ok 0", "truncate", 1), "lock": ("ok 0", "lock", 0, 9), "close": ("ok 0", "close")}
            clients = {}
            for what in calls:
                client = clients[what] = job.client()
                client.do("open", f"{what}{i}", "posix" if what in ("write", "append") else "commit",
                          *(("append",) if what == "append" else ()))
                client.do("write", 0, "x")
                client.do("sync")
            clients["sync"].do("write", 0, "z")
            job.kill_server(0)
            for what, (_, *words) in calls.items():
                clients[what].tell(*words)
            for what, client in clients.items():
                checks.equal(f"a server that stays away {i}: {what}", client.hear_within(1 + HANG), f"error {errno.EIO}")
            job.start_server(0)
            del calls["close"], clients["close"]  # a file is closed whatever comes back
            for what, (wanted, *words) in calls.items():
                client = clients[what]
                checks.equal(f"and comes back {i}: {what}", wait_until(lambda: client.do(*words) == wanted), True)
            seen = [clients[what].do("read", 0, 9) for what in ("lock", "rename", "sync", "write")]
            checks.equal(f"and still has the files {i}", seen, ["ok x", "ok x", "ok z", "ok y"])
            for client in clients.values():
                client.end()


def locks_crossed(checks, weir, player, rounds):
    """Two programs that each hold a lock and want the other's: EIO for both after the limit, and both go on."""
    for nodes in (1, 2):
        with Job(weir, player, servers=nodes, options=("--limit", "1s")) as job:
            one, two = job.client(0), job.client(nodes - 1)
            for i in range(rounds):
                for model in ("none", "posix-lock"):
                    crossed_once(checks, one, two, model, f"{model}{i}", f"crossed locks, {nodes} nodes, {model} {i}")


def crossed_once(checks, one, two, model, name, what):
    far = 1 << 20
    for client in (one, two):
        client.do("open", name, model)
    checks.equal(f"{what}: each its own", (one.do("lock", 0, 9), two.do("lock", far, 9)), ("ok 0", "ok 0"))
    one.tell("lock", far, 9)
    two.tell("lock", 0, 9)
    checks.equal(f"{what}: and the other's", (one.hear_within(1 + HANG), two.hear_within(1 + HANG)), 2 * (f"error {errno.EIO}",))
    checks.equal(f"{what}: writing goes on", (one.do("write", 0, "one"), two.do("write", far, "two")), ("ok 3", "ok 3"))
    checks.equal(f"{what}: one is released", (two.do("release"), one.do("lock", far, 9)), ("ok 0", "ok 0"))
    checks.equal(f"{what}: then the other", (one.do("release"), two.do("lock", 0, 9)), ("ok 0", "ok 0"))
    if model == "posix-lock":
        checks.equal(f"{what}: what is read", (two.do("read", 0, 3), two.do("release"), one.do("read", far, 9)),
                     ("ok one", "ok 0", "ok two"))
    one.do("close")
    two.do("close")


def buffer_full(checks, weir, player, rounds):
    """The quota is used up: what is over goes to the backing directory, or ENOSPC, as set."""
    for i in range(rounds):
        buffer_full_once(checks, weir, player)


def buffer_full_once(checks, weir, player):
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


def twenty_times_the_quota(checks, weir, player, _rounds):
    """Files are written and closed, twenty times the quota in all: what was flushed makes room for what comes."""
    size, count = 2 << 20, 80
    with Job(weir, player, servers=2, options=("--quota", "8M")) as job:
        writer, reader = job.client(0), job.client(1)
        wrong = []
        for i in range(count):
            writer.do("open", f"f{i}", "session")
            letter = "abcdefghij"[i % 10]
            if writer.do("fill", 0, size, letter) != f"ok {size}" or writer.do("close") != "ok 0":
                wrong.append(f"write {i}")
            reader.do("open", f"f{i // 2}", "session", "old")
            if reader.do("read", size - 8, 99) != "ok " + 8 * "abcdefghij"[i // 2 % 10]:
                wrong.append(f"read {i // 2}")
            reader.do("close")
        facts = json.loads(job.run("stats", "--json").stdout)
        checks.equal("20 times the quota: all calls", wrong, [])
        checks.equal("20 times the quota: nothing spilled", facts["bytes"]["spilled"], 0)
        checks.equal("20 times the quota: space came back", facts["bytes"]["reclaimed"] >= size * count - 2 * (8 << 20), True)
        checks.equal("20 times the quota: stop", job.stop().returncode, 0)
        bad = [i for i in range(count) if (job.backing / f"f{i}").read_bytes() != size * "abcdefghij"[i % 10].encode()]
        checks.equal("20 times the quota: the data", bad, [])
    with Job(weir, player, options=("--quota", "8M", "--when-full", "fail")) as job:
        writer = job.client()
        answers = []
        for i in range(8):
            writer.do("open", f"f{i}", "session")
            answers.append(writer.do("fill", 0, size, "x"))
            writer.do("close")
        checks.equal("20 times the quota, to fail: first", answers[0], f"ok {size}")
        checks.equal("20 times the quota, to fail: last", answers[-1], f"error {errno.ENOSPC}")
        done = job.run("flush", "--release")
        checks.equal("flush --release", (done.returncode, "free again" in done.stdout), (0, True))
        writer.do("open", "late", "session")
        checks.equal("after flush --release there is room", writer.do("fill", 0, size, "y"), f"ok {size}")
        checks.equal("and what was there is read", (writer.do("close"), writer.do("open", "f0", "session", "old"),
                                                    writer.do("read", size - 2, 9)), ("ok 0", "ok 0", "ok xx"))


def space_of_the_dead(checks, weir, player, _rounds):
    """What a killed client had not published is given back once no request of it can be under way."""
    with Job(weir, player, options=("--limit", "1s")) as job:
        def buffered():
            return json.loads(job.run("stats", "--json").stdout)["bytes"]["buffered"]

        client = job.client()
        client.do("open", "f", "commit")
        client.do("write", 0, "kept")
        client.do("sync")
        client.do("fill", 100, 64 << 20, "u")
        before = buffered()
        client.kill()
        checks.equal("a dead client's space", wait_until(lambda: buffered() < before / 2), True)
        reader = job.client()
        reader.do("open", "f", "commit")
        checks.equal("a dead client's publication", reader.do("read", 0, 99), "ok kept")


def all_servers_gone(checks, weir, player, rounds):
    """Servers that never come back: `weir fs recover` brings out what was attached."""
    for i in range(rounds):
        with Job(weir, player, servers=2) as job:
            one, two = job.client(0), job.client(1)
            for client, letter in ((one, "1"), (two, "2")):
                for n in range(5):
                    client.do("open", f"f{n}", "commit")
                    client.do("fill", int(letter) * 1000, 1000, letter)
                    client.do("sync")
                    client.do("write", 0, "unpublished")
            (job.backing / "early").write_text("here before")

            def recover(*words):
                return subprocess.run([weir, "fs", "recover", job.buffer, *words], capture_output=True, text=True,
                                      timeout=60, check=False)

            done = recover()
            checks.equal(f"recover {i}: refused while servers run", (done.returncode, "still runs" in done.stderr), (2, True))
            for client in (one, two):
                client.kill()
            job.kill_server(0)
            checks.equal(f"recover {i}: refused while one runs", recover().returncode, 2)
            job.kill_server(1)
            done = recover("--json")
            checks.equal(f"recover {i}", done.returncode, 0)
            facts = json.loads(done.stdout)["jobs"][0]
            checks.equal(f"recover {i}: bytes", facts["recovered_bytes"], 10000)
            checks.equal(f"recover {i}: unpublished bytes", sum(row["bytes"] for row in facts["unpublished"]) >= 10 * 11, True)
            expected = 1000 * b"\0" + 1000 * b"1" + 1000 * b"2"
            good = [(job.backing / f"f{n}").read_bytes() == expected for n in range(5)]
            checks.equal(f"recover {i}: the data", good, 5 * [True])
            checks.equal(f"recover {i}: again, and away", recover("--remove").returncode, 0)
            checks.equal(f"recover {i}: nothing stays", list(job.buffer.iterdir()), [])
            checks.equal(f"recover {i}: nothing to recover", recover().returncode, 2)


def backing_read_only(checks, weir, player, rounds):
    """A flush that fails keeps the data, says so, and succeeds when the cause is gone."""
    for i in range(rounds):
        backing_read_only_once(checks, weir, player)


def backing_read_only_once(checks, weir, player):
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
            client.do("write", 8, "!")
            checks.equal("and more is taken in", client.do("sync"), "ok 0")
            quietly("mount", "-o", "remount,rw", place)
            checks.equal("stop when the cause is gone", job.stop().returncode, 0)
            checks.equal("and the data is there", (place / "f").read_text(), "precious!")
    finally:
        quietly("umount", "-l", place)
        place.rmdir()


def stopped_under_load(checks, weir, player, rounds):
    """`weir fs stop` while clients of all nodes publish: whatever they were told is done is in the backing directory."""
    done_by = {"posix": "write", "commit": "sync", "session": "close", "posix-lock": "write"}
    for i in range(rounds):
        with Job(weir, player, servers=3, options=("--limit", "2s")) as job:
            written, refused = [], []

            def load(client, model, who):
                for n in range(100_000):
                    name = f"{model}-{who}-{n}"
                    answers = {"open": client.do("open", name, model)}
                    if answers["open"] == "ok 0":
                        for what in (("write", 0, name), ("sync",), ("close",)):
                            answers[what[0]] = client.do(*what)
                    if answers.get(done_by[model], "error")[:2] == "ok":
                        written.append(name)
                    bad = [answer for answer in answers.values() if answer[:2] != "ok"]
                    if bad:
                        return refused.extend(bad)

            loaders = [threading.Thread(target=load, args=(job.client(who % 3), model, who))
                       for who, model in enumerate([*done_by, "posix", "commit"])]
            for loader in loaders:
                loader.start()
            wait_until(lambda: len(written) > 60)
            done = job.run("stop")
            taken = len(written)
            for loader in loaders:
                loader.join(timeout=60)
            lost = [name for name in written if not (job.backing / name).is_file() or (job.backing / name).read_text() != name]
            what = f"stopped under load {i}"
            checks.equal(f"{what}: stop", (done.returncode, done.stderr), (0, ""))
            checks.equal(f"{what}: lost of {taken}", lost, [])
            checks.equal(f"{what}: the rest is refused", set(refused) - {f"error {errno.EROFS}", f"error {errno.EIO}"}, set())


def network_cut(checks, weir, player, rounds):
    """Two nodes in network namespaces; the link goes down and up again: calls wait, then go on."""
    with Namespaces() as net:
        if not net.made:
            checks.skip("a network that is cut", "cannot make network namespaces")
            return
        with NamespaceJob(weir, player, net) as job:
            one, two = job.client(0), job.client(1)
            for i in range(rounds):
                for model in ("commit", "posix-lock"):
                    cut_once(checks, net, one, two, model, i)


def cut_once(checks, net, one, two, model, i):
    name, what = f"{model}{i}", f"{model}: cut {i}"
    one.do("open", name, model)
    one.do("write", 0, f"first{i}.")
    checks.equal(f"{what}: before", one.do("sync"), "ok 0")
    two.do("open", name, model, "old")
    checks.equal(f"{what}: read before", two.do("read", 0, 99), f"ok first{i}.")
    net.cut()
    one.tell("write", 0, f"second{i}")
    one.tell("sync")
    two.tell("size")
    time.sleep(0.3)  # long enough for both to meet the cut, where their way leads over it
    net.mend()
    checks.equal(f"{what}: the writer goes on", (one.hear(), one.hear()), (f"ok {len(f'second{i}')}", "ok 0"))
    checks.equal(f"{what}: the reader goes on", two.hear()[:2], "ok")
    checks.equal(f"{what}: what is read", two.do("read", 0, 99), f"ok second{i}")
    one.do("close")
    two.do("close")


def network_away(checks, weir, player, rounds):
    """A link that stays down for longer than the limit: EIO for what needs it, the rest goes on, and nothing is lost."""
    with Namespaces() as net:
        if not net.made:
            checks.skip("a network that stays away", "cannot make network namespaces")
            return
        with NamespaceJob(weir, player, net, options=("--limit", "1s")) as job:
            writers = [job.client(0) for _ in range(6)]
            for i in range(rounds):
                names = [owned_by(job, writer, n % 2, f"a{i}n{n}") for n, writer in enumerate(writers)]
                for n, writer in enumerate(writers):
                    writer.do("write", 0, f"text {n}")
                net.cut()
                for writer in writers:
                    writer.tell("sync")
                answers = [writer.hear_within(1 + HANG) for writer in writers]
                checks.equal(f"away {i}: by owner", answers, len(writers) // 2 * ["ok 0", f"error {errno.EIO}"])
                net.mend()
                checks.equal(f"away {i}: mended", all(wait_until(lambda w=w: w.do("sync") == "ok 0") for w in writers), True)
                reader = job.client(1)
                lost = []
                for n, name in enumerate(names):
                    reader.do("open", name, "commit", "old")
                    if reader.do("read", 0, 99) != f"ok text {n}":
                        lost.append(n)
                    reader.do("close")
                checks.equal(f"away {i}: lost", lost, [])
                reader.end()
                for writer in writers:
                    writer.do("close")


def owned_by(job, client, server, prefix):
    """The client opens a new file that this server owns; its name."""
    def files():
        return job.facts()["servers"][server]["files"]

    for n in range(100):
        before = files()
        client.do("open", f"{prefix}-{n}", "commit")
        if files() > before:
            return f"{prefix}-{n}"
        client.do("close")
    raise RuntimeError(f"no name of server {server}")


def servers_killed(checks, weir, player, rounds):
    for number in (0, 1):
        for model in ("commit", "posix-lock"):
            server_killed(checks, weir, player, rounds, number, model)


PARTS = (client_killed, client_killed_at_any_moment, server_killed_when_full, servers_killed, server_gone, buffer_full,
         twenty_times_the_quota, device_full, device_full_to_fail, device_overcommitted, tokens_on_a_full_device,
         space_of_the_dead, all_servers_gone, backing_read_only, stopped_under_load, locks_crossed, network_cut, network_away)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("player")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", action="append", choices=[part.__name__ for part in PARTS], help="one part; may be repeated")
    given = parser.parse_args()
    checks = Checks()
    for part in PARTS:
        if given.only is None or part.__name__ in given.only:
            part(checks, given.weir, given.player, given.rounds)
    sys.exit(checks.exit_code())


main()
