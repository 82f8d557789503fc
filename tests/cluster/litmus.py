#!/usr/bin/env python3
"""Random programs of 2 to 4 processes on one file, on 1 and 2 nodes, under every model: what each read gives against a
reference of the model, written apart from the one of the unit tests. Steps are done one after the other, so that the
strong models and the weak ones have one outcome each; eventual consistency has to show bytes that were written, own
ones at once, and the same to all in the end.

Usage: litmus.py WEIR PLAYER [--programs N] [--seed S]
"""
import argparse
import random
import sys

from common import Checks, Job

BYTES = 16


class Process:
    def __init__(self):
        self.is_open, self.own, self.seen, self.seen_size = False, {}, {}, 0


class Reference:
    """One file. Who publishes when, who sees when."""

    def __init__(self, model, processes):
        self.at_once = model in ("posix", "posix-lock")
        self.on_sync = model == "commit"
        self.on_close = model in ("commit", "session", "posix", "posix-lock")
        self.sees_always = model in ("posix", "posix-lock", "commit")
        self.sees_on_open = model == "session"
        self.published, self.size, self.reserved = {}, 0, 0
        self.processes = [Process() for _ in range(processes)]

    def publish(self, p):
        one = self.processes[p]
        self.published.update(one.own)
        one.seen.update(one.own)
        if one.own:
            self.size = max(self.size, max(one.own) + 1)
            one.seen_size = max(one.seen_size, max(one.own) + 1)
        one.own = {}

    def see(self, p):
        self.processes[p].seen, self.processes[p].seen_size = dict(self.published), self.size

    def open(self, p):
        self.processes[p] = Process()
        self.processes[p].is_open, self.processes[p].seen_size = True, self.size
        if self.sees_on_open:
            self.see(p)

    def write(self, p, begin, text):
        self.processes[p].own.update({begin + i: byte for i, byte in enumerate(text)})
        if self.at_once:
            self.publish(p)

    def append(self, p, text):
        own_end = max(self.processes[p].own, default=-1) + 1
        begin = max(self.size, self.reserved, own_end)
        self.reserved = begin + len(text)
        self.write(p, begin, text)

    def sync(self, p):
        if self.on_sync:
            self.publish(p)

    def close(self, p):
        if self.on_close:
            self.publish(p)
        self.processes[p] = Process()

    def read(self, p):
        if self.sees_always:
            self.see(p)
        one = self.processes[p]
        size = max(one.seen_size, max(one.own, default=-1) + 1)
        return "".join(one.own.get(i, one.seen.get(i, ".")) for i in range(min(size, BYTES)))


def run_program(players, model, path, draw):
    """The first step whose outcome is not the reference's, or None."""
    processes = draw.randint(2, len(players))
    file = Reference(model, processes)
    told = []
    for step in range(24):
        p = draw.randrange(processes)
        letter = "abcdefghijklmnopqrstuvwxyz"[step]
        choice = draw.randrange(12) if file.processes[p].is_open else -1
        if choice < 0:
            how = ("append",) if draw.randrange(2) else ()
            told.append((p, "open", players[p].do("open", path, model, *how), "ok 0"))
            file.open(p)
            file.processes[p].appends = bool(how)
        elif choice < 4:
            begin = draw.randrange(BYTES - 4)
            text = letter * draw.randint(1, 4)
            told.append((p, f"write {begin} {text}", players[p].do("write", begin, text), f"ok {len(text)}"))
            file.write(p, begin, text)
        elif choice < 5 and file.processes[p].appends and max(file.size, file.reserved) < BYTES:
            told.append((p, f"append {letter}", players[p].do("append", letter), "ok 1"))
            file.append(p, letter)
        elif choice < 9:
            told.append((p, "read", players[p].do("read", 0, BYTES), "ok " + file.read(p)))
        elif choice < 10:
            told.append((p, "sync", players[p].do("sync"), "ok 0"))
            file.sync(p)
        elif choice < 11 and model == "none":
            if draw.randrange(2):
                told.append((p, "attach", players[p].do("attach"), "ok 0"))
                file.publish(p)
            else:
                told.append((p, "query", players[p].do("query"), "ok 0"))
                file.see(p)
        else:
            told.append((p, "close", players[p].do("close"), "ok 0"))
            file.close(p)
        if told[-1][2] != told[-1][3]:
            return told
    for p in range(processes):
        if file.processes[p].is_open:
            players[p].do("close")
    return None


def run_eventual(players, path, draw):
    """Bytes that nobody wrote, own bytes that are not seen, an end on which processes do not agree; or None."""
    processes = draw.randint(2, len(players))
    written = [{"."} for _ in range(BYTES)]
    own = [{} for _ in range(processes)]
    told = []
    for p in range(processes):
        players[p].do("open", path, "eventual")
    for step in range(16):
        p = draw.randrange(processes)
        begin = draw.randrange(BYTES)
        letter = "abcdefghijklmnopqrstuvwxyz"[step]
        if draw.randrange(2):
            told.append((p, f"write {begin} {letter}", players[p].do("write", begin, letter)))
            written[begin].add(letter)
            own[p][begin] = letter
        else:
            seen = players[p].do("read", 0, BYTES)
            told.append((p, "read", seen))
            seen = seen[3:]
            alien = [i for i, byte in enumerate(seen) if byte not in written[i]]
            # What one wrote is there, or what another has published over it.
            lost = [i for i in own[p] if i >= len(seen) or seen[i] == "."]
            if alien or lost:
                return told
    for p in range(processes):
        players[p].do("close")
    ends = set()
    for p in range(processes):
        players[p].do("open", path, "eventual")
        ends.add(players[p].do("read", 0, BYTES))
        players[p].do("close")
    return None if len(ends) == 1 else [*told, ("all", "end", ends)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("player")
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    checks = Checks()
    for nodes in (1, 2):
        with Job(given.weir, given.player, servers=nodes) as job:
            players = [job.client(i % nodes) for i in range(4)]
            for model in ("posix", "posix-lock", "commit", "session", "none", "eventual"):
                wrong = []
                for i in range(given.programs):
                    seed = f"{given.seed}-{nodes}-{model}-{i}"
                    draw = random.Random(seed)
                    told = (run_eventual(players, seed, draw) if model == "eventual" else
                            run_program(players, model, seed, draw))
                    if told is not None:
                        wrong = [f"seed {seed}", *told]
                        break
                checks.equal(f"{model}, {nodes} nodes, {given.programs} programs", wrong, [])
                if wrong:  # files are open in the middle of a program
                    for player in players:
                        player.kill()
                    players = [job.client(i % nodes) for i in range(4)]
            checks.equal(f"{nodes} nodes: stop", job.stop().returncode, 0)
    sys.exit(checks.exit_code())


main()
