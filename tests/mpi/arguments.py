#!/usr/bin/env python3
"""Every call of programs that use each function of MPI is traced with the arguments it was really given, in C and in
Fortran by each of its three ways, with each MPI: the programs themselves tell what they hand over (told.py).

Usage: arguments.py WEIR [PROGRAM...]
"""
import json
import re
import sys
from pathlib import Path

import told
from common import HERE, Checks, installed, run, scratch_directory, trace

PROGRAMS = ["every_call", "every_call_mpi", "every_call_f08", "every_call_fixed"]
# Their argument is read, not written: an object that ends, a request that is started or waited for.
GIVEN = re.compile(r"_free$|_disconnect$|_close$|^MPI_(Wait|Test)(any|all|some)?$|^MPI_Start(all)?$|^MPI_(M|Im)recv$|^MPI_Cancel$")
# Handles that mean nothing any more afterwards.
ENDS = re.compile(r"_free$|_disconnect$|_close$")
# A number that the call changes is recorded as it was given.
CHANGES = re.compile(r"_free_keyval$|Keyval_free$|^MPI_(Unp|P)ack(_external)?$")
RECEIVES = re.compile(r"recv", re.I)
WITH_LISTS = re.compile(r"(gatherv|scatterv|alltoallv|alltoallw|reduce_scatter)$", re.I)
SEEKS = ["MPI_SEEK_SET", "MPI_SEEK_CUR", "MPI_SEEK_END"]
# What is told about sending means nothing with MPI_IN_PLACE as sendbuf.
OF_SENDING = re.compile(r"^s(end)?(counts?|types?|displs)$|^displs$")


def names_by_position():
    """{function: [name of argument]} as the trace has them."""
    found = {}
    for table in ("mpi", "mpiio"):
        text = re.sub(r"^#.*$", "", (HERE.parent.parent / "calls" / f"{table}.calls").read_text(), flags=re.M)
        for name, arguments in re.findall(r"^\S+ (MPI_\w+)\(((?:[^()]|\([^()]*\))*)\)", text, flags=re.M):
            found[name] = re.findall(r"(\w+)(?:\[\d*\])*: ", arguments)
    return found


class Told:
    """What one process told."""

    def __init__(self, path):
        self.constants, self.calls = {}, []
        for line in path.read_text(errors="replace").splitlines():
            one = json.loads(line)
            if "name" in one:
                self.constants.setdefault(one["kind"], {})[one["name"]] = one["value"]
            else:
                self.calls.append(one)


class Objects:
    """Which symbolic id stands for which handle: one for one as long as the handle lives."""

    def __init__(self, constants):
        self.constants, self.ids = constants, {}

    def agree(self, kind, key, value, seen, new):
        """Whether `seen` of the trace is the handle `value`; `key` tells handles of the same value apart. A new one takes
        the place of what had its key before."""
        names = [name for name, one in self.constants.get(kind, {}).items() if one == value]
        if names:
            null = any(name.endswith("_NULL") for name in names)
            return seen in names or (null and seen is None)
        if isinstance(seen, dict):  # a file
            seen = seen["name"]
        if not isinstance(seen, str):
            return False
        known = self.ids.setdefault(kind, {})
        if new:
            known.pop(key, None)
            if kind not in ("MPI_File", "MPI_Errhandler", "MPI_Group") and seen in known.values():
                return False
        if key not in known:
            known[key] = seen
        return known[key] == seen

    def end(self, kind, key):
        self.ids.get(kind, {}).pop(key, None)


class Process:
    """Compares the calls of one process; `differences` are texts."""

    def __init__(self, names, functions, calls, fortran):
        self.names, self.calls, self.fortran = names, calls, fortran
        self.functions = functions
        self.objects = Objects(calls.constants)
        self.receives = {}  # by where a request stands: whether it is of a receive
        self.differences = []
        self.compared = 0

    def number(self, value, seen):
        if isinstance(seen, str):
            return self.calls.constants["number"].get(seen) == value
        return seen == value

    def differ(self, call, record, what, told_value, seen):
        self.differences.append(f"{call['f']} {what}: told {told_value}, traced {seen}; {json.dumps(record['arguments'])[:200]}")

    def without_questions(self, records):
        """Open MPI's Fortran bindings ask for the size of a communicator before collectives with a list for its processes,
        by the same function that a program would ask."""
        made, calls = [], iter(self.calls.calls)
        expected = next(calls, None)
        for record, following in zip(records, [*records[1:], None]):
            asks = record["function"] == "MPI_Comm_size" and following and WITH_LISTS.search(following["function"])
            if asks and (expected is None or expected["f"] == following["function"]):
                continue
            made.append(record)
            expected = next(calls, None)
        return made

    def compare(self, records):
        if self.fortran:
            records = self.without_questions(records)
        if [one["f"] for one in self.calls.calls] != [one["function"] for one in records]:
            pairs = zip([one["f"] for one in self.calls.calls] + [None], [one["function"] for one in records] + [None])
            at = next((i for i, (a, b) in enumerate(pairs) if a != b), "at the end")
            self.differences.append(f"call {at}: told {[one['f'] for one in self.calls.calls][at:at + 3]}, "
                                    f"traced {[one['function'] for one in records][at:at + 3]}")
            return
        for call, record in zip(self.calls.calls, records):
            self.call(call, record)

    def call(self, call, record):
        function, told_values, seen = call["f"], call["a"], record["arguments"]
        failed = told_values.get("r", 0) != 0
        self.check(call, record, "result", told_values.get("r", 0), record["result"], failed and record["result"] == -1 or record["result"] == told_values.get("r", 0))
        names, types = self.names[function], self.functions[function]
        nothing = self.is_nothing(function, told_values)
        for at, (name, about) in enumerate(zip(names, types)):
            key = str(at)
            out = about.stars > 0 and not about.const
            if (failed and out) or about.kind is None or at in nothing:
                continue
            # What stands for it in Fortran is an address of the library's own.
            in_place = seen.get("sendbuf") if self.fortran else told_values.get("0")
            if in_place == "MPI_IN_PLACE" and OF_SENDING.match(name):
                continue
            if about.kind == "number" and key in told_values:
                self.numbers(call, record, at, told_values, seen)
            elif about.kind == "handle" and about.stars == 0:
                self.check(call, record, name, told_values[key], seen.get(name, "nothing"), self.handle(about.type, told_values[key], seen, name))
            elif about.kind == "handle" and f"h{at}" in told_values:
                self.handles(call, record, at, name, about, told_values[f"h{at}"])
            elif about.kind in ("text", "buffer") and key in told_values:
                self.check(call, record, name, told_values[key], seen.get(name, "nothing"), self.text(name, told_values[key], seen))
            elif about.kind == "status" and not function.startswith("MPI_Status_"):
                self.statuses(call, record, at, name, told_values.get(f"s{at}"))
        if ENDS.search(function) and not failed:
            for at, about in enumerate(types):
                for where, before, _ in told_values.get(f"h{at}", []):
                    self.objects.end(about.type, where if about.type == "MPI_Request" else before)

    def check(self, call, record, what, told_value, seen, good):
        self.compared += 1
        if not good:
            self.differ(call, record, what, told_value, seen)

    def is_nothing(self, function, values):
        """Positions of what the call leaves as it was, because a flag is not set."""
        if function in ("MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status"):
            flag = {"MPI_Test": "1", "MPI_Testall": "2", "MPI_Testany": "3", "MPI_Iprobe": "3", "MPI_Improbe": "3", "MPI_Request_get_status": "1"}
            if not values[flag[function]]:
                return {"MPI_Test": [2], "MPI_Testall": [3], "MPI_Testany": [2, 4], "MPI_Iprobe": [4], "MPI_Improbe": [4, 5],
                        "MPI_Request_get_status": [2]}[function]
        if function == "MPI_Info_get" and not values["4"]:
            return [3]
        if function == "MPI_Info_get_valuelen" and not values["3"]:
            return [2]
        if function == "MPI_Comm_idup":  # is there when the request is complete
            return [1]
        return []

    def numbers(self, call, record, at, values, seen):
        name, value = self.names[call["f"]][at], values[str(at)]
        if CHANGES.search(call["f"]) and self.functions[call["f"]][at].stars:
            value = values[f"b{at}"]
        found = seen.get(name, "nothing")
        if isinstance(value, list):
            good = isinstance(found, list) and len(found) == len(value) and all(map(self.number, value, found)) or (not value and found in ([], None, "nothing"))
        elif name == "whence":  # the same number with every MPI
            good = [self.calls.constants["number"][one] for one in SEEKS].index(value) == found
        elif value is None:
            good = found in (None, "nothing", "MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY")
        else:
            good = self.number(value, found)
        self.check(call, record, name, value, found, good)

    def handle(self, kind, value, seen, name):
        if kind == "MPI_Request":  # there is nothing to tell by where it stands
            return seen.get(name) in self.objects.ids[kind].values()
        return name in seen and self.objects.agree(kind, value, value, seen[name], False)

    def handles(self, call, record, at, name, about, items):
        """Requests are told apart by where they stand: libraries give the same value to all that are complete."""
        found = record["arguments"].get(name, "nothing")
        given = bool(GIVEN.search(call["f"])) or about.const
        listed = found if at in told.SIZED.get(call["f"], {}) else [found]
        if not isinstance(listed, list) or len(listed) != len(items):
            self.check(call, record, name, items, found, not items and not found)
            return
        for (where, before, after), seen in zip(items, listed):
            value = before if given else after
            key = where if about.type == "MPI_Request" else value
            if not given and about.type == "MPI_Request":
                self.receives[where] = self.is_receive(call)
            self.check(call, record, name, value, seen, self.objects.agree(about.type, key, value, seen, not given))

    def is_receive(self, call):
        """Nobody sends from MPI_PROC_NULL: there is no message to tell of."""
        names = self.names[call["f"]]
        if not RECEIVES.search(call["f"]):
            return False
        return "source" not in names or call["a"][str(names.index("source"))] != self.calls.constants["number"]["MPI_PROC_NULL"]

    def statuses(self, call, record, at, name, items):
        found = record["arguments"].get(name, "nothing")
        if isinstance(found, list):
            listed = found
        else:
            listed = [found if isinstance(found, dict) else None]
        if items is None:  # the program did not want to know; what it asked for is known
            self.ignored(call, record, name, listed)
            return
        if len(listed) != len(items):
            self.check(call, record, name, items, found, False)
            return
        which = call["a"].get("3", list(range(len(items)))) if call["f"].endswith("some") else range(len(items))
        requests = next((value for key, value in call["a"].items() if key.startswith("h")), None)
        if call["f"].endswith("any") and call["a"]["2"] >= 0:
            which = [call["a"]["2"]]
        for (source, tag), seen, index in zip(items, listed, which):
            if requests is not None and not self.receives.get(requests[index][0], False):
                continue  # of a send, a collective or a file: nothing is said of source and tag
            if call["f"].startswith("MPI_File"):
                continue
            if requests is not None and requests[index][1] == self.calls.constants["MPI_Request"]["MPI_REQUEST_NULL"]:
                continue
            good = seen is not None and seen["source"] == source and seen["tag"] == tag
            self.check(call, record, name, [source, tag], seen, good)

    def ignored(self, call, record, name, listed):
        names, values = self.names[call["f"]], call["a"]
        if "source" not in names or "wait" in call["f"].lower():
            return
        asked = [values[str(names.index("source"))], values[str(names.index("recvtag" if "recvtag" in names else "tag"))]]
        wild = self.calls.constants["number"]
        seen = listed[0]
        if asked[0] == wild["MPI_PROC_NULL"]:
            asked[1] = wild["MPI_ANY_TAG"]
        good = seen is not None and (asked[0] in (wild["MPI_ANY_SOURCE"], seen["source"])) and asked[1] in (wild["MPI_ANY_TAG"], seen["tag"])
        self.check(call, record, name, f"{asked} was asked for", seen, good)

    def text(self, name, value, seen):
        if name not in seen:
            return False
        return seen[name] == value


def compare(checks, weir, mpi, program, scratch, names):
    what = f"{mpi.name} {program}"
    binary, functions = told.build(mpi, program, scratch)
    here, out = scratch / f"{program}-here", scratch / f"{program}.trace"
    here.mkdir()
    done = trace(weir, out, mpi.start(2, binary), cwd=here)
    if not checks.equal(f"{what}: exit status", done.returncode, 0):
        print(done.stdout.decode()[-2000:], done.stderr.decode()[-4000:])
        return
    lines = run([weir, "dump", out, "--json"], check=True).stdout.decode().splitlines()
    pids = [one["pid"] for one in json.loads(lines[0])["processes"]]
    records = {pid: [] for pid in pids}
    for line in lines[1:]:
        one = json.loads(line)
        if one["depth"] == 0 and one["function"] in functions:
            records[pids[one["process"]]].append(one)
    files = sorted(here.glob("told.[0-9]*"))
    checks.equal(f"{what}: ranks that told", len(files), 2)
    for path in files:
        calls = Told(path)
        process = Process(names, functions, calls, program != "every_call")
        process.compare(records[int(path.suffix[1:])])
        seen = {one["f"] for one in calls.calls}
        checks.expect(f"{what}: {process.compared} arguments of {len(calls.calls)} calls of {len(seen)} functions", not process.differences,
                      f"{len(process.differences)} differ:\n" + "\n".join(process.differences[:40]))
        checks.expect(f"{what}: there is something to compare", process.compared > 2 * len(calls.calls) and len(seen) > 70, len(seen))


def main():
    weir = Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:]
    checks = Checks()
    names = names_by_position()
    for mpi in installed():
        with scratch_directory() as scratch:
            for program in PROGRAMS:
                if not wanted or program in wanted:
                    compare(checks, weir, mpi, program, Path(scratch), names)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
