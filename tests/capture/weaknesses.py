#!/usr/bin/env python3
"""What other tracers are known to get wrong, each with a small check.

Usage: weaknesses.py WEIR PROGRAMS_DIR [PART...]

Results and errno not kept; times that wrap at 32 bits or drift; names changed; records before exec lost; programs lost
that are started with an environment of their own; a parent's records repeated by its children; calls not seen; large
tables; an end after a fixed number of records. That nothing is lost when a program is killed is the business of
kills.py.
"""
import json
import sys
import time
from pathlib import Path

from common import descriptor, dump, records_of, run, run_parts, trace, verify


class Part:
    """One run of programs/weak_points.c."""

    def __init__(self, given, checks, scratch):
        self.given, self.checks, self.scratch = given, checks, scratch
        self.out = scratch / "trace"

    def run(self, *words, options=(), **keywords):
        (self.scratch / "files").mkdir()
        done = trace(self.given.weir, self.out, [self.given.programs / "weak_points", *words], *options,
                     cwd=self.scratch / "files", **keywords)
        self.checks.equal(f"{words[0]}: status", (done.returncode, b"warning" in done.stderr), (0, False))
        problem = verify(self.given.weir, self.out)
        self.checks.expect(f"{words[0]}: verifies", not problem, problem)
        return done.stdout.decode()

    def records(self, *options):
        return records_of(self.given.weir, self.out, *options)

    def file(self, name):
        return str(self.scratch / "files" / name)


def gap(part):
    least, most = map(int, part.run("gap").split())
    first, second = part.records("--function", "open")
    apart = second["start_ns"] - first["start_ns"]
    # The clock that was calibrated may run a thousandth faster or slower than the system's, which is steered.
    part.checks.expect(f"gap: {apart} ns between two calls, between {least} and {most}",
                       least * 0.999 - 1000 <= apart <= most * 1.001 + 1000 and least > 4.4e9)
    ticks = apart / next(dump(part.given.weir, part.out))["facts"]["nanoseconds_per_tick"]
    part.checks.expect(f"gap: of {ticks:.0f} ticks, more than 32 bits hold", ticks > 2**32)


def drift(part):
    calls = 200_000
    least, most = map(int, part.run("drift", calls).split())
    records = part.records("--function", "lseek")
    part.checks.equal("drift: every call", len(records), calls + 2)
    starts = [record["start_ns"] for record in records]
    apart = starts[-1] - starts[0]
    part.checks.expect(f"drift: {apart} ns from first to last, between {least} and {most}",
                       least * 0.999 - 1000 <= apart <= most * 1.001 + 1000)
    ends = [record["start_ns"] + record["duration_ns"] for record in records]
    early = sum(start < end for start, end in zip(starts[1:], ends))
    part.checks.equal("drift: no call begins before the one before it ended", early, 0)
    part.checks.expect("drift: no duration is negative", min(record["duration_ns"] for record in records) >= 0)


def names(part):
    wanted = ["with space", " leading and trailing ", "two  spaces\tand a tab", "new\nline", "\x01\x02\x03", "\x7f\x1b[0m",
              "naïve €uro 日本語 🜁", 'quote"back\\slash', "%s%n", "a" * 255, "/".join(["d" * 200] * 20), "x" * 4095,
              "ckpt_0001.dat", "ckpt_0002.dat", "ckpt_0010.dat", "ckpt_1.dat", "ckpt_01.dat", "007", "-1", "0",
              "99999999999999999999999", "18446744073709551615", "./a//b/../c/", "é" * 100, ",;{}[]"]
    part.run("names", input=b"".join(name.encode() + b"\0" for name in wanted))
    seen = [record["arguments"]["path"] for record in part.records("--function", "open")]
    for name, got in zip(wanted, seen):
        if name != got:
            part.checks.equal("names: one name", got, name)
    part.checks.equal(f"names: all {len(wanted)} unchanged", seen, wanted)


def not_utf8(part):
    part.run("names", input=b"b\xff\xfe \xc3\0")
    text = run([part.given.weir, "dump", part.out, "--function", "open"]).stdout
    part.checks.expect("names: bytes that are no UTF-8 can be told", b'"b\\xff\\xfe \\xc3"' in text, text.decode())


def many(part):
    count = 120_000
    part.run("many", count, options=("--memory", "1M"))
    wrong = wanted = 0
    records = dump(part.given.weir, part.out)
    next(records)
    at = {"access": 0, "lseek": 0, "fcntl": 0}
    for record in records:
        if record["function"] not in at:
            continue
        i = at[record["function"]]
        at[record["function"]] += 1
        wanted += 1
        given = record["arguments"]
        if record["function"] == "access":
            right = given == {"path": f"{i * 2654435761 % 2**32:08x}", "mode": i % 7} and record["errno"] == "ENOENT"
        elif record["function"] == "lseek":
            offset = i * i % 1000003 * 4099
            right = given["offset"] == offset and record["result"] == offset
        else:
            right = given["value"] == i * 7919 and record["errno"] == "EINVAL"
        wrong += not right
        if not right and wrong < 4:
            part.checks.expect(f"many: record {i}", False, json.dumps(record))
    part.checks.equal(f"many: all calls on {count} names and as many signatures, in 1 MiB of tables", at,
                      dict.fromkeys(at, count))
    part.checks.equal("many: each as it was made", wrong, 0)


def endless(part):
    part.run("forks", 3_000_000)
    stat = json.loads(run([part.given.weir, "stat", part.out, "--json"]).stdout)
    calls = {function["name"]: function["calls"] for function in stat["functions"]}
    part.checks.equal("endless: three million writes and those of three children", calls["pwrite"], 3_000_000 + 3 * 10 + 1)


def forks(part):
    part.run("forks", 5000)
    count = {}
    for record in part.records("--function", "pwrite"):
        count.setdefault(record["process"], []).append(record["arguments"]["count"])
    part.checks.equal("forks: the parent's records once", count.pop(0, None), [1] * 5000 + [4])
    part.checks.equal("forks: the children's own", sorted(count.values()), [[5] * 10] * 3)


def before_exec(part):
    part.run("before_exec")
    records = part.records()
    functions = [record["function"] for record in records]
    part.checks.equal("exec: writes before it", functions.count("write"), 1000)
    part.checks.expect("exec: itself", any(name.startswith("exec") for name in functions))
    part.checks.expect("exec: calls after it", "copy_file_range" in functions)
    part.checks.equal("exec: on one thread", len({record["thread"] for record in records}), 1)


def environments(part):
    part.run("environments")
    opened = part.records("--function", "open")
    names = sorted(Path(record["file"]).name for record in opened)
    part.checks.equal("environments: programs started with one of their own", names,
                      ["execle", "execlp", "execv", "execve", "libraries", "null", "posix_spawn", "vfork"])
    part.checks.equal("environments: each its own process", len({record["process"] for record in opened}), len(names))


def first_calls(part):
    part.run("first_calls")
    opened = {Path(record["file"]).name: record["process"] for record in part.records("--function", "open")}
    part.checks.equal("first calls: of children too", sorted(opened), ["forked", "last", "vforked"])
    part.checks.equal("first calls: each its own process", len(set(opened.values())), 3)
    executed = [record["process"] for record in part.records("--function", "execv")]
    part.checks.equal("first calls: by whom children replace themselves", (len(executed), opened["last"] in executed), (2, False))


def kinds(part):
    part.run("kinds")
    seen = {}
    for record in part.records():
        seen.setdefault(record["function"], []).append(record)

    def expect(function, at=0, **wanted):
        found = seen.get(function, [])
        if not part.checks.expect(f"kinds: {function} is seen", len(found) > at):
            return
        record = found[at]
        values = {name: descriptor(record["arguments"].get(name)) if name not in ("result", "errno", "file", "moved_bytes")
                  else record[name] for name in wanted}
        part.checks.equal(f"kinds: {function}", values, wanted)

    file, to, stream = part.file("file"), part.file("to"), part.file("stream")
    expect("openat", dirfd=-100, path="file", file=file, result=3, errno=None)
    expect("pwritev", fd=3, iov=[5, 8], offset=0, result=13, file=file, moved_bytes=13)
    expect("preadv", fd=3, iov=[5, 8], offset=1, result=12, file=file, moved_bytes=12)
    expect("aio_write", file=file, result=0)
    expect("aio_return", result=10, moved_bytes=10)
    expect("aio_read", file=file, result=0)
    expect("aio_return", at=1, result=5, moved_bytes=5)
    for name in ("aio_write", "aio_read"):
        request = seen.get(name, [{}])[0].get("arguments")
        part.checks.expect(f"kinds: {name}'s descriptor, offset and length are in the trace",
                           all(word in json.dumps(request) for word in ("4000" if name == "aio_write" else "4005", "10", "3")),
                           json.dumps(request))
    expect("mmap", length=4096, protection=1, flags=1, fd=3, offset=0, file=file)
    expect("munmap", length=4096, result=0)
    expect("stat", path="file", file=file, result=0)
    expect("sendfile", out_fd=4, in_fd=3, offset=2, count=7, result=7, moved_bytes=7)
    expect("copy_file_range", in_fd=3, in_offset=1, out_fd=4, out_offset=None, count=6, result=6, file=file)
    expect("pread", fd=3, count=100, offset=4000, result=10, errno=None, moved_bytes=10)
    expect("read", fd=77, count=1, result=-1, errno="EBADF", moved_bytes=0)
    expect("fputs", buf=10, file=stream, moved_bytes=10)
    expect("fgets", buf=10, size=50, file=stream, moved_bytes=10)
    part.checks.expect("kinds: the file behind a descriptor that sendfile writes to is known",
                       seen["sendfile"][0]["arguments"]["out_fd"]["name"] == to)


def outlives(part):
    """A child that goes on after the program has ended, and after its trace was made, works on."""
    (part.scratch / "files").mkdir()
    held, release = part.scratch / "held", part.scratch / "release"
    command = ["sh", "-c", f"(touch {held}; until test -e {release}; do sleep 0.02; done; seq 1000 > late; echo done > late2) "
                           f"> /dev/null 2>&1 & until test -e {held}; do sleep 0.02; done"]
    done = trace(part.given.weir, part.out, command, cwd=part.scratch / "files")
    part.checks.equal("outlives: status", done.returncode, 0)
    release.touch()
    deadline = time.monotonic() + 60
    while not (part.scratch / "files" / "late2").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    late = part.scratch / "files" / "late"
    part.checks.equal("outlives: unharmed", late.read_text() if late.exists() else "",
                      "".join(f"{i}\n" for i in range(1, 1001)))
    problem = verify(part.given.weir, part.out)
    part.checks.expect("outlives: the trace still verifies", not problem, problem)


PARTS = [outlives, gap, drift, names, not_utf8, many, endless, forks, before_exec, environments, first_calls, kinds]


def main():
    return run_parts(__doc__, PARTS, lambda part, given, checks, scratch: part(Part(given, checks, scratch)))


if __name__ == "__main__":
    sys.exit(main())
