"""What is promised when a buffer's device is full: parts of failures.py."""
import contextlib
import errno
import tempfile
from pathlib import Path

from common import Job, wait_until
from namespaces import quietly


@contextlib.contextmanager
def small_device(checks, what):
    """24 MiB, or None where nothing can be mounted."""
    place = Path(tempfile.mkdtemp(prefix="weir-cluster-"))
    made = quietly("mount", "-t", "tmpfs", "-o", "size=24m", "weir-test", place)
    if not made:
        checks.skip(what, "cannot mount")
    try:
        yield place if made else None
    finally:
        if made:
            quietly("umount", "-l", place)
        place.rmdir()


def fill_up(place):
    """Whatever is left of it is taken; the file that has it."""
    others = place / "others"
    try:
        with open(others, "wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
    except OSError:
        pass
    return others


def device_full(checks, weir, player, rounds):
    """The buffer's device is full, without a quota."""
    for i in range(rounds):
        device_full_once(checks, weir, player)


def device_full_once(checks, weir, player):
    with small_device(checks, "a full device") as place:
        if place is None:
            return
        with Job(weir, player, buffer=place) as job:
            client = job.client()
            size = 3 << 20
            answers = set()
            for i in range(30):
                client.do("open", f"f{i}", "session")
                answers.add((client.do("fill", 0, size, "d"), client.do("close")))
            checks.equal("a full device", answers, {(f"ok {size}", "ok 0")})
            checks.equal("a full device: stop", job.stop().returncode, 0)
            bad = [i for i in range(30) if (job.backing / f"f{i}").read_bytes() != size * b"d"]
            checks.equal("a full device: the data", bad, [])


def device_overcommitted(checks, weir, player, rounds):
    """More is written than the device holds before anything is published: segments take their space as they are written,
    so that several have been promised the same. Publishing, flushing and stopping need some of it too."""
    for i in range(rounds):
        device_overcommitted_once(checks, weir, player, many=4000 if i == 0 else 0)


def device_overcommitted_once(checks, weir, player, many):
    with small_device(checks, "an overcommitted device") as place:
        if place is None:
            return
        with Job(weir, player, buffer=place) as job:
            size, count = 7 << 20, 4
            clients = [job.client() for _ in range(count)]
            for i, client in enumerate(clients):
                client.do("open", f"f{i}", "commit")
                client.do("fill", 0, 3 << 20, "o")
                checks.equal("overcommitted: publish", client.do("sync"), "ok 0")
            for client in clients:
                client.tell("fill", 0, size, "o")
            checks.equal("overcommitted: write", {client.hear() for client in clients}, {f"ok {size}"})
            fill_up(place)
            for i in range(200):
                for client in clients:
                    client.do("write", 2 * i, "p")
            checks.equal("overcommitted: publish when full", {client.do("sync") for client in clients}, {"ok 0"})
            checks.equal("overcommitted: flush", {client.do("flush") for client in clients}, {"ok 0"})
            # As many publications as fit into no room that was taken ahead.
            clients[0].do("open", "many", "posix")
            wrong = {clients[0].do("write", 2 * i, "m") for i in range(many)} - {"ok 1"}
            checks.equal("overcommitted: many publications", wrong, set())
            for client in clients:
                client.end()
            checks.equal("overcommitted: stop", job.stop().returncode, 0)
            expected = b"po" * 200 + b"o" * (size - 400)
            bad = [i for i in range(count) if (job.backing / f"f{i}").read_bytes() != expected]
            checks.equal("overcommitted: the data", bad, [])


def device_full_to_fail(checks, weir, player, rounds):
    """The device is full and nothing may be spilled: ENOSPC, and what was written and published before is there."""
    for _ in range(rounds):
        with small_device(checks, "a full device, to fail") as place:
            if place is None:
                return
            with Job(weir, player, buffer=place, options=("--when-full", "fail")) as job:
                device_full_to_fail_once(checks, job)


def device_full_to_fail_once(checks, job):
    writer, reader = job.client(), job.client()
    writer.do("open", "f", "commit")
    piece = 1 << 20
    checks.equal("full, to fail: before", (writer.do("fill", 0, piece, "k"), writer.do("sync")), (f"ok {piece}", "ok 0"))
    answers, written = "", 1
    while written < 64 and not answers.startswith("error"):
        answers = writer.do("fill", written * piece, piece, "k")
        written += answers == f"ok {piece}"
    checks.equal("full, to fail: a write", answers, f"error {errno.ENOSPC}")
    expected = "ok " + written * piece * "k"
    checks.equal("full, to fail: own bytes", writer.do("read", 0, 64 * piece) == expected, True)
    reader.do("open", "f", "commit", "old")
    checks.equal("full, to fail: what was published before", reader.do("read", 0, 64 * piece) == "ok " + piece * "k", True)
    checks.equal("full, to fail: publish what was written", writer.do("sync"), "ok 0")
    checks.equal("full, to fail: what is published then", reader.do("read", 0, 64 * piece) == expected, True)
    checks.equal("full, to fail: flush", writer.do("flush"), "ok 0")
    checks.equal("full, to fail: stop", job.stop().returncode, 0)
    checks.equal("full, to fail: the data", (job.backing / "f").read_bytes() == written * piece * b"k", True)


def tokens_on_a_full_device(checks, weir, player, rounds):
    """What tokens need in the buffer cannot be made: ENOSPC, nobody dies, and it goes on when there is room again."""
    for _ in range(rounds):
        for first in ("nobody", "another"):  # there was one who made the board; only the ring is missing
            with small_device(checks, "tokens on a full device") as place:
                if place is None:
                    return
                with Job(weir, player, buffer=place) as job:
                    tokens_on_a_full_device_once(checks, job, place, first == "another")


def tokens_on_a_full_device_once(checks, job, place, has_board):
    what = f"tokens, full, {'ring' if has_board else 'board'}"
    early, late = job.client(), job.client()
    if has_board:
        early.do("open", "f", "posix-lock")
        checks.equal(f"{what}: before", early.do("write", 0, "early"), "ok 5")
    others = fill_up(place)
    checks.equal(f"{what}: open", late.do("open", "g", "posix-lock"), "ok 0")
    for words in (("write", 0, "late"), ("read", 0, 9), ("lock", 0, 9)):
        checks.equal(f"{what}: {words[0]}", late.do(*words), f"error {errno.ENOSPC}")
    checks.equal(f"{what}: the server runs", job.run("status").returncode, 0)
    if has_board:
        checks.equal(f"{what}: who has a ring goes on", early.do("write", 5, "!"), "ok 1")
    others.unlink()
    checks.equal(f"{what}: with room again", wait_until(lambda: late.do("write", 0, "late") == "ok 4"), True)
    checks.equal(f"{what}: read", late.do("read", 0, 9), "ok late")
    checks.equal(f"{what}: lock", late.do("lock", 0, 9), "ok 0")
    checks.equal(f"{what}: stop", job.stop().returncode, 0)
    seen = {path.name: path.read_text() for path in job.backing.iterdir()}
    checks.equal(f"{what}: the data", seen, {"g": "late", **({"f": "early!"} if has_board else {})})
