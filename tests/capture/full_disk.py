#!/usr/bin/env python3
"""Where a trace cannot be written, or not wholly, the program does not notice and the user is told.

Usage: full_disk.py WEIR PROGRAMS_DIR

A disk that fills up (a tmpfs of 2 MiB, which takes root to mount): same output and status, the number of lost calls is
said at the end, and what was recorded verifies. A directory that exists or cannot be written, a program that is linked
statically or has the setuid bit: refused before the program starts. Limits of the program (size of files, address
space, open files) hold for the tracer too and do no more harm than a full disk.
"""
import json
import os
import re
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

from common import Checks, arguments, records_of, run, scratch_directory, trace, verify


@contextmanager
def mounted(where, options):
    """A tmpfs, or None where it may not be mounted."""
    where.mkdir()
    done = run(["mount", "-t", "tmpfs", "-o", options, "none", where])
    try:
        yield where if done.returncode == 0 else None
    finally:
        if done.returncode == 0:
            run(["umount", where])


def fills_up(checks, given, scratch):
    calls = 600_000
    (scratch / "bare").mkdir()
    (scratch / "traced").mkdir()
    program = [given.programs / "filler", calls]
    bare = run(program, cwd=scratch / "bare")
    with mounted(scratch / "small", "size=2m") as small:
        if small is None:
            return checks.skip("a disk that fills up", "a tmpfs cannot be mounted here (not root?)")
        done = trace(given.weir, small / "trace", program, cwd=scratch / "traced")
        said = done.stderr.decode()
        checks.equal("full disk: same output and status", (done.stdout, done.returncode), (bare.stdout, bare.returncode))
        checks.equal("full disk: same file", (scratch / "traced" / "filled").read_bytes(),
                     (scratch / "bare" / "filled").read_bytes())
        checks.expect("full disk: said that calls were lost", "lost" in said, said)
        if not (small / "trace" / "trace.weir").exists():
            # Merging needs room too; what was recorded must be mergeable once there is some.
            checks.expect("full disk: said how to make the trace", "weir merge" in said, said)
            run(["mount", "-o", "remount,size=64m", small])
            merged = run([given.weir, "merge", small / "trace"])
            checks.equal("full disk: merged with more room", merged.returncode, 0)
            said += merged.stderr.decode()
        problem = verify(given.weir, small / "trace")
        checks.expect("full disk: what was recorded verifies", not problem, problem)
        stat = stat_of(given, small / "trace")
        checks.expect("full disk: not everything was lost", stat["records"] > 1000)
        numbers = [int(re.sub(r"\D", "", text)) for text in re.findall(r"\d[\d ]*", said)]
        checks.expect("full disk: the number of lost calls is said", stat["lost"] in numbers, said)
        prefix = records_of(given.weir, small / "trace", "--limit", "1000")
        whole = trace(given.weir, scratch / "whole", program, cwd=scratch / "traced")
        all_calls = stat_of(given, scratch / "whole")["records"]
        checks.equal(f"full disk: {stat['records']} records and {stat['lost']} lost calls are all there are",
                     stat["records"] + stat["lost"], all_calls)
        wanted = records_of(given.weir, scratch / "whole", "--limit", "1000")
        checks.equal("full disk: the first records are those of a whole trace",
                     [(r["function"], r["arguments"].get("offset"), r["result"]) for r in prefix],
                     [(r["function"], r["arguments"].get("offset"), r["result"]) for r in wanted])
        checks.expect("room enough: nothing is lost", whole.returncode == 17 and b"lost" not in whole.stderr,
                      whole.stderr.decode())
    return None


def full_from_the_start(checks, given, scratch):
    (scratch / "start").mkdir()
    with mounted(scratch / "none_left", "size=64k") as small:
        if small is None:
            return checks.skip("a disk that is full from the start", "a tmpfs cannot be mounted here (not root?)")
        try:
            (small / "rest").write_bytes(b"x" * (1 << 20))
        except OSError:
            pass
        done = trace(given.weir, small / "trace", [given.programs / "filler", 1000], cwd=scratch / "start")
        bare = run([given.programs / "filler", 1000], cwd=scratch / "start")
        said = done.stderr.decode()
        checks.expect("full from the start: refused before the program starts, or run unharmed",
                      done.stdout == bare.stdout if done.stdout else done.returncode in (2, 3, 4),
                      f"{done.returncode} {done.stdout} {said}")
        checks.expect("full from the start: said so", said.strip() != "", said)
    return None


def stat_of(given, out):
    return json.loads(run([given.weir, "stat", out, "--json"]).stdout)


def threads_and_children(checks, given, scratch):
    """Who begins when nothing is left is not recorded; that must not go unsaid either."""
    (scratch / "work").mkdir()
    with mounted(scratch / "tiny", "size=300k") as small:
        if small is None:
            return checks.skip("threads and children on a full disk", "a tmpfs cannot be mounted here (not root?)")
        for name, command, status, calls in (("threads", ["busy", scratch / "counters", 8, 5000], 0, 8 * 5000),
                                             ("children", ["fork_exec"], 3, 80)):
            program, *words = command
            done = trace(given.weir, small / name, [given.programs / program, *words], cwd=scratch / "work")
            checks.equal(f"{name} on a full disk: unharmed", done.returncode, status)
            run(["mount", "-o", "remount,size=64m", small])
            run([given.weir, "merge", small / name])
            problem = verify(given.weir, small / name)
            checks.expect(f"{name} on a full disk: verifies", not problem, problem)
            stat = stat_of(given, small / name)
            whole = stat["records"] >= calls
            checks.expect(f"{name} on a full disk: {stat['records']} records; lost calls are counted or said",
                          whole or stat["lost"] > 0 or stat["warnings"] or b"warning" in done.stderr, done.stderr.decode())
            shutil.rmtree(small / name)
            run(["mount", "-o", "remount,size=300k", small])
    return None


def limits(checks, given, scratch):
    """Limits the program runs under are not the tracer's to trip over."""
    for what, limit, calls in (("file size", "-f 4096", 600_000), ("address space", "-v 20000", 1000),
                               ("open files", "-n 5", 1000)):
        place = scratch / what.replace(" ", "_")
        place.mkdir()
        command = ["sh", "-c", f"ulimit {limit}; exec {given.programs / 'filler'} {calls}"]
        bare = run(command, cwd=place)
        done = trace(given.weir, place / "trace", command, cwd=place)
        checks.equal(f"limit of {what}: same output and status", (done.stdout, done.returncode),
                     (bare.stdout, bare.returncode))
        problem = verify(given.weir, place / "trace")
        checks.expect(f"limit of {what}: verifies", not problem, problem)
        stat = stat_of(given, place / "trace")
        checks.expect(f"limit of {what}: {stat['records']} records; lost calls are counted or said",
                      stat["records"] >= calls or stat["lost"] > 0 or stat["warnings"] or b"warning" in done.stderr,
                      done.stderr.decode())


def refused(checks, what, given, out, command, status, scratch, *words):
    """The command must not run: it would make the file 'began'."""
    began = scratch / "began"
    done = trace(given.weir, out, command, cwd=scratch)
    said = done.stderr.decode().strip()
    checks.expect(f"{what}: exit {status}: {said}", done.returncode == status and all(word in said for word in words),
                  f"exit {done.returncode}")
    checks.expect(f"{what}: the program did not start", not began.exists() and not done.stdout, done.stdout.decode())
    began.unlink(missing_ok=True)


def refusals(checks, given, scratch):
    touch = ["touch", scratch / "began"]
    (scratch / "taken").mkdir()
    (scratch / "taken" / "something").write_text("of value")
    refused(checks, "a directory with something in it", given, scratch / "taken", touch, 2, scratch, "taken")
    checks.equal("what was there stays", os.listdir(scratch / "taken"), ["something"])
    (scratch / "file").write_text("of value")
    refused(checks, "a file", given, scratch / "file", touch, 2, scratch, "file")
    refused(checks, "below a file", given, scratch / "file" / "below", touch, 2, scratch)
    checks.equal("the file stays", (scratch / "file").read_text(), "of value")
    if os.getuid() == 0:
        with mounted(scratch / "read_only", "ro,size=64k") as place:
            if place:
                refused(checks, "a read-only disk", given, place / "trace", touch, 2, scratch)
    else:
        (scratch / "closed").mkdir(mode=0o555)
        refused(checks, "a directory without write permission", given, scratch / "closed" / "trace", touch, 2, scratch)

    whole = scratch / "whole_trace"
    trace(given.weir, whole, ["true"], cwd=scratch)
    refused(checks, "a trace of before", given, whole, touch, 2, scratch)

    static = given.programs / "static_program"
    if static.exists():
        refused(checks, "linked statically", given, scratch / "t1", [static], 3, scratch, "static")
        checks.expect("linked statically: no directory left", not (scratch / "t1").exists())
    if os.getuid() == 0:
        copy = scratch / "setuid_touch"
        shutil.copy(shutil.which("touch"), copy)
        os.chown(copy, 65534, 65534)
        copy.chmod(0o4755)
        refused(checks, "setuid", given, scratch / "t2", [copy, scratch / "began"], 3, scratch, "setuid")
        os.chown(copy, 0, 65534)
        copy.chmod(0o2755)
        refused(checks, "setgid", given, scratch / "t3", [copy, scratch / "began"], 3, scratch)
    else:
        checks.skip("setuid", "takes root to make such a program")

    missing = trace(given.weir, scratch / "t4", ["./no_such_program"], cwd=scratch)
    checks.expect(f"no such program: {missing.stderr.decode().strip()}", missing.returncode in (2, 3, 127))
    checks.expect("no such program: no directory left", not (scratch / "t4").exists())


def main():
    given = arguments(__doc__)
    checks = Checks()
    with scratch_directory() as scratch:
        scratch = Path(scratch)
        refusals(checks, given, scratch)
        fills_up(checks, given, scratch)
        full_from_the_start(checks, given, scratch)
        threads_and_children(checks, given, scratch)
        limits(checks, given, scratch)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
