"""The source's Figures 5.7 to 5.19 as tables: time, bandwidth and the share of file creation, by model and lock grant."""
from contextlib import ExitStack

from burst_goals import LOCK_GRANTS, name
from burst_jobs import KIB, MIB, Crew, NotAvailable, median

PATTERNS = {"own": "file per process", "contiguous": "contiguous", "strided": "strided"}


class System:
    """A column: a model, and what the job needs for it."""

    def __init__(self, model, options=(), sync=False):
        self.model, self.options, self.sync = model, options, sync


SYSTEMS = {"raw": System("raw"), "session": System("session"), "posix": System("posix"), "commit": System("commit"),
           "commit+fsync": System("commit", sync=True),
           **{grant: System("posix-lock", options) for grant, options in LOCK_GRANTS.items()}}
BY_WRITES = ("raw", "session", "lock-exact", "lock-extend")
BY_NODES = ("raw", "session", "posix", "lock-exact", "lock-extend")
TWO_MODELS = ("session", "posix", "commit", "commit+fsync")


class Runs:
    """Measures each combination once, all systems in turns, and keeps it for the next figure that shows it."""

    def __init__(self, setting):
        self.setting, self.known, self.missing = setting, {}, {}

    def measure(self, systems, nodes, pattern, size, count):
        wanted = [s for s in systems if (s, nodes, pattern, size, count) not in self.known and s not in self.missing]
        if not wanted:
            return
        results = {s: [] for s in wanted}
        with ExitStack() as stack:
            crews = {}
            for system in wanted:
                try:
                    options = SYSTEMS[system].options
                    if options not in crews:
                        crews[options] = stack.enter_context(
                            Crew(self.setting, nodes=nodes, processes=self.setting.processes, options=options))
                except NotAvailable as error:
                    self.missing[system] = str(error)
            for turn in range(self.setting.repeats + 1):
                for system in wanted:
                    if system in self.missing:
                        continue
                    how = SYSTEMS[system]
                    try:
                        run = crews[how.options].write(how.model, pattern, size, count, sync=how.sync)
                    except NotAvailable as error:
                        self.missing[system] = str(error)
                        continue
                    if turn > 0:
                        results[system].append(run)
        for system, runs in results.items():
            if runs:
                self.known[(system, nodes, pattern, size, count)] = runs

    def cells(self, system, nodes, pattern, size, count):
        """Milliseconds, MiB/s, percent of opening."""
        runs = self.known.get((system, nodes, pattern, size, count))
        if runs is None:
            return [None, None, None]
        return [median(r["time_s"] for r in runs) * 1e3, median(r["bytes"] / r["time_s"] for r in runs) / MIB,
                100 * median(r["create_share"] for r in runs)]


def rows_of(runs, systems, axis, points):
    rows = []
    for x, (nodes, pattern, size, count) in points:
        runs.measure(systems, nodes, pattern, size, count)
        rows += [[x if i == 0 else "", system, *runs.cells(system, nodes, pattern, size, count)]
                 for i, system in enumerate(systems)]
    return [axis, "system", "ms", "MiB/s", "creation %"], rows


class Figures:
    """Prints tables of runs; what two figures share is measured once."""

    known = {}  # by setting

    def __init__(self, setting, report):
        self.setting, self.report = setting, report
        self.runs = self.known.setdefault(setting, Runs(setting))
        self.many = setting.nodes()
        self.middle = self.many[-2] if len(self.many) > 2 else self.many[-1]

    def show(self, number, what, systems, axis, points):
        self.report.table(f"Figure {number}: {what}, P = {self.setting.processes}", *rows_of(self.runs, systems, axis, points))

    def end(self):
        for system, why in self.runs.missing.items():
            self.report.note(f"{system}: not available: {why.strip()}")


def by_writes(setting, report):
    """Figures 5.7 to 5.9: over the number of writes; the source's 4 MiB, and 4 KiB up to a thousand."""
    figures = Figures(setting, report)
    nodes = figures.middle
    counts = {4 * MIB: (1, 10) if setting.quick else (1, 5, 10, 20, 40), 4 * KIB: (1, 100) if setting.quick else (1, 10, 100, 1000)}
    for number, pattern in zip(("5.7", "5.8", "5.9"), PATTERNS):
        for size in counts:
            figures.show(number, f"{PATTERNS[pattern]}, {name(size)}, N = {nodes}", BY_WRITES, "M",
                         [(count, (nodes, pattern, size, count)) for count in counts[size]])
    figures.end()


def by_nodes(setting, report):
    """Figures 5.10 to 5.15: over the number of nodes."""
    figures = Figures(setting, report)
    numbers = iter(range(10, 16))
    for pattern, told in PATTERNS.items():
        for size in (4 * MIB, 4 * KIB):
            figures.show(f"5.{next(numbers)}", f"{told}, {name(size)}, M = 10", BY_NODES, "N",
                         [(nodes, (nodes, pattern, size, 10)) for nodes in figures.many])
    figures.end()


def by_model(setting, report):
    """Figures 5.16 to 5.19: over the models, and what creating the files takes of it."""
    figures = Figures(setting, report)
    for number, size, count in (("5.16", 4 * MIB, 10), ("5.17", 4 * KIB, 10), ("5.19", 4 * KIB, 200 if setting.quick else 1000)):
        for pattern, told in PATTERNS.items():
            systems = BY_NODES + TWO_MODELS[2:] if number == "5.19" else TWO_MODELS
            figures.show(number, f"models, {told}, {name(size)}, M = {count}", systems, "N",
                         [(nodes, (nodes, pattern, size, count)) for nodes in figures.many])
        if number == "5.17":
            report.table(f"Figure 5.18: share of file creation in the time of session, M = 10, P = {setting.processes}, percent",
                         ["N", "write", *PATTERNS.values()],
                         [[nodes, name(each), *(figures.runs.cells("session", nodes, pattern, each, 10)[2] for pattern in PATTERNS)]
                          for each in (4 * MIB, 4 * KIB) for nodes in figures.many])
    figures.end()


PARTS = {"figures-5.7": by_writes, "figures-5.10": by_nodes, "figures-5.16": by_model}
