"""Jobs of the burst-buffer file system for bench/burst, and processes in them that write and are timed."""
import os
import statistics
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "cluster"))
from common import Job  # noqa: E402

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


class NotAvailable(Exception):
    """This build or machine cannot do it: the part says so and the rest goes on."""


class Setting:
    """Where the programs are, which device, how much."""

    def __init__(self, build, buffer, quick, repeats, processes):
        self.weir = build / "weir"
        self.player = build / "bench" / "burst_bench_player"
        self.transport = build / "bench" / "transport_bench"
        self.tokens = build / "bench" / "burst_token_bench"
        self.buffer, self.quick = buffer, quick
        self.repeats = repeats or (3 if quick else 7)
        self.processes = processes or (2 if quick else 4)

    def nodes(self):
        return (1, 2) if self.quick else (1, 2, 4)


def median(values):
    return statistics.median(values)


def answer(line, what):
    words = line.split()
    if not words or words[0] != "ok":
        reason = os.strerror(int(words[1])) if len(words) == 2 else "the process has ended"
        raise NotAvailable(f"{what}: {reason}")
    return list(map(int, words[1:]))


class Crew:
    """A job and `processes` clients on each of its nodes. Begun anew when it has buffered much: what raw files
    are compared with must find a device as empty as they do."""

    most_buffered = GIB

    def __init__(self, setting, nodes=1, processes=1, options=(), make=Job):
        self.setting, self.nodes, self.per_node, self.options, self.make = setting, nodes, processes, options, make
        self.job, self.players, self.written, self.files = None, [], 0, 0

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *_):
        self.end()

    def begin(self):
        try:
            self.job = self.make(self.setting.weir, self.setting.player, servers=self.nodes, options=self.options,
                                 device=self.setting.buffer)
        except RuntimeError as error:
            raise NotAvailable(str(error).strip()) from error
        try:
            barrier = self.job.scratch / "barrier"
            barrier.write_bytes(bytes(64))
            self.job.environment = {"WEIR_BENCH_BARRIER": str(barrier)}
            self.players = [self.job.client(node) for node in range(self.nodes) for _ in range(self.per_node)]
            for player in self.players:
                answer(player.hello, "a client")
        except BaseException:
            self.end()
            raise

    def end(self):
        if self.job is not None:
            self.job.remove()
        self.job, self.players, self.written = None, [], 0

    def room_for(self, amount):
        if self.written > 0 and self.written + amount > self.most_buffered:
            self.end()
            self.begin()
        self.written += amount

    def together(self, words, who=None):
        """All do it at once; `words` of a process by its rank."""
        who = self.players if who is None else who
        for rank, player in enumerate(who):
            player.tell(*words(rank))
        lines = [player.hear() for player in who]
        return [answer(line, words(rank)[0]) for rank, line in enumerate(lines)]

    def write(self, model, pattern, size, count, sync=False, processes=None):
        """Times of one run: all of it, writing and closing alone, the share of opening."""
        ranks = processes or len(self.players)
        self.room_for(0 if model == "raw" else ranks * size * count)
        who = self.players[:ranks]
        self.files += 1
        name = f"f{self.files}"
        path = str(self.job.buffer / name) if model == "raw" else name
        times = self.together(lambda rank: ("write", model, path, pattern, size, count, rank, ranks, int(sync)), who)
        for rank in range(ranks if pattern == "own" else 1):
            self.players[0].do("remove", model, f"{path}.{rank}" if pattern == "own" else path)
        begin, end = min(t[0] for t in times), max(t[3] for t in times)
        return {"time_s": (end - begin) / 1e9, "write_s": (end - min(t[1] for t in times)) / 1e9,
                "create_share": sum((t[1] - t[0]) / (t[3] - t[0]) for t in times) / len(times),
                "bytes": ranks * size * count}


def interleaved(repeats, runs):
    """Each run in turn, over and over: name -> list of results. The first round warms up and is not counted; an even number
    follows, every other one backwards: what a run leaves behind (plain files of 256 MiB, just removed, make the next run 5 % slower,
    whatever it is) meets all alike."""
    results = {name: [] for name in runs}
    for turn in range((repeats + 1) // 2 * 2 + 1):
        for name in list(runs)[::1 if turn % 2 else -1]:
            result = runs[name]()
            if turn > 0:
                results[name].append(result)
    return results


def ratio(results, of, to, field):
    """How many times as fast `of` is, as the median over the rounds: both of a round met the same weather."""
    return median(b[field] / a[field] for a, b in zip(results[of], results[to]))


def processor_seconds(pid):
    return sum(int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{pid}/task").iterdir()) / 1e9


def idle_share(job, seconds):
    """Of one core, by a server that has clients and nothing to do."""
    pid = job.server_pid(0)
    time.sleep(0.5)
    before = processor_seconds(pid)
    time.sleep(seconds)
    return (processor_seconds(pid) - before) / seconds
