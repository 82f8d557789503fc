#!/usr/bin/env python3
"""Random programs of 2 to 4 processes on one file, on 1 and 2 nodes, under every model: what each read gives against a
reference of the model, written apart from the one of the unit tests. Steps are done one after the other, so that the
strong models and the weak ones have one outcome each. Under eventual consistency some order of publications and looks has to
explain every byte that was read, and in the end all read the same.

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


class EventualByte:
    """All that one byte may be to whom: what is published, and of each process its own writes that are not, in their order,
    and what it has seen. A process's writes are published in their order, by itself and when it likes; a look shows what is
    published, and nobody goes back to what was seen before."""

    def __init__(self, processes):
        self.states = {(".", *(((), "."),) * processes)}

    @staticmethod
    def changed(state, p, own, seen, published=None):
        return (state[0] if published is None else published, *state[1:p + 1], (own, seen), *state[p + 2:])

    def publish_some(self):
        reached, todo = set(self.states), list(self.states)
        while todo:
            state = todo.pop()
            for p, (own, _) in enumerate(state[1:]):
                for i, byte in enumerate(own):
                    after = self.changed(state, p, own[i + 1:], byte, byte)
                    if after not in reached:
                        reached.add(after)
                        todo.append(after)
        self.states = reached

    def write(self, p, byte):
        self.states = {self.changed(state, p, (*state[p + 1][0], byte), state[p + 1][1]) for state in self.states}

    def read(self, p, byte):
        """Whether that may be what is read."""
        self.publish_some()
        looked = {self.changed(state, p, state[p + 1][0], state[0]) for state in self.states}
        self.states = {state for state in self.states | looked if [state[p + 1][1], *state[p + 1][0]][-1] == byte}
        return bool(self.states)

    def ends(self):
        """What it may be when all that was written is published."""
        self.publish_some()
        return {state[0] for state in self.states if not any(own for own, _ in state[1:])}


def run_eventual(players, path, draw):
    """The steps up to a byte that no order explains, or to an end on which processes do not agree; or None."""
    processes = draw.randint(2, len(players))
    file = [EventualByte(processes) for _ in range(BYTES)]
    is_open = [False] * processes
    told = []

    def may_read(p, seen):
        return seen.startswith("ok ") and all([file[i].read(p, byte) for i, byte in enumerate(seen[3:].ljust(BYTES, "."))])

    for step in range(20):
        p = draw.randrange(processes)
        choice = draw.randrange(10) if is_open[p] else -1
        if choice < 0:
            told.append((p, "open", players[p].do("open", path, "eventual")))
            is_open[p] = True
        elif choice < 4:
            begin = draw.randrange(BYTES - 4)
            text = "abcdefghijklmnopqrstuvwxyz"[step] * draw.randint(1, 4)
            told.append((p, f"write {begin} {text}", players[p].do("write", begin, text)))
            for i in range(len(text)):
                file[begin + i].write(p, text[i])
        elif choice < 8:
            told.append((p, "read", players[p].do("read", 0, BYTES)))
            if not may_read(p, told[-1][2]):
                return told
        elif choice < 9:
            told.append((p, "sync", players[p].do("sync")))
        else:
            told.append((p, "close", players[p].do("close")))
            is_open[p] = False
        if not told[-1][2].startswith("ok"):
            return told
    for p in range(processes):
        if is_open[p]:
            players[p].do("close")
    ends = set()
    for p in range(processes):
        players[p].do("open", path, "eventual")
        ends.add(players[p].do("read", 0, BYTES))
        players[p].do("close")
    is_right = len(ends) == 1 and all(byte in file[i].ends() for i, byte in enumerate(min(ends)[3:].ljust(BYTES, ".")))
    return None if is_right else [*told, ("all", "end", ends)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("player")
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    checks = Checks()
    for nodes, workers in ((1, 1), (2, 1), (2, 2)):
        with Job(given.weir, given.player, servers=nodes, options=("--workers", workers)) as job:
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
                checks.equal(f"{model}, {nodes} nodes, {workers} workers, {given.programs} programs", wrong, [])
                if wrong:  # files are open in the middle of a program
                    for player in players:
                        player.kill()
                    players = [job.client(i % nodes) for i in range(4)]
            checks.equal(f"{nodes} nodes, {workers} workers: stop", job.stop().returncode, 0)
    sys.exit(checks.exit_code())


main()
