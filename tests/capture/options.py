#!/usr/bin/env python3
"""The options of `weir trace` do what its help says: --timing, --error, --layers, --include, --exclude,
--buffers.

Usage: options.py WEIR PROGRAMS_DIR [PART...]
"""
import fnmatch
import json
import os.path
import subprocess
import sys
from pathlib import Path

from common import descriptor, dump, records_of, run, run_parts, trace, verify


def plain(record):
    """What must not depend on how times are kept; the directory differs between runs."""
    values = {name: descriptor(value) for name, value in record["arguments"].items()}
    return record["function"], values, descriptor(record["result"]), record["errno"]


def timing(given, checks, scratch):
    """Every mode keeps every call. Within a bound calls of a thread may seem to begin out of order; bounded() looks at
    that."""
    wanted = None
    for mode in ("lossless", "off", "mean", "cfg", "hist", "quant", "zfp"):
        out, place = scratch / mode, scratch / f"{mode}.files"
        place.mkdir()
        done = trace(given.weir, out, [given.programs / "random"], "--timing", mode, cwd=place)
        if done.returncode == 3:
            checks.skip(f"timing {mode}", done.stderr.decode().strip())
            continue
        checks.equal(f"timing {mode}: status", done.returncode, 0)
        problem = verify(given.weir, out)
        checks.expect(f"timing {mode}: verifies", not problem, problem)
        records = records_of(given.weir, out, "--order", "process")
        calls = [plain(record) for record in records]
        wanted = wanted or calls
        checks.expect(f"timing {mode}: the calls are the same", calls == wanted)
        starts = [record["start_ns"] for record in records if record.get("start_ns") is not None]
        back = [(before, after) for before, after in zip(starts, starts[1:]) if after < before]
        if mode in ("lossless", "mean"):
            checks.expect(f"timing {mode}: {len(starts)} starts in order", not back, f"{len(back)} go back: {back[:3]}")
        durations = [record["duration_ns"] for record in records if record.get("duration_ns") is not None]
        checks.expect(f"timing {mode}: no negative duration", not durations or min(durations) >= 0)


def bounded(given, checks, scratch):
    """The lossy modes of one recorded run are within the bound of the lossless one: intervals and durations."""
    (scratch / "files").mkdir()
    trace(given.weir, scratch / "run", [given.programs / "random"], "--keep-live", cwd=scratch / "files")

    def times(directory):
        return [(record["start_ns"], record["duration_ns"]) for record in records_of(given.weir, directory, "--order", "process")]

    exact = times(scratch / "run")
    for mode in ("cfg", "hist", "quant", "zfp"):
        for error in (0.5, 0.1, 0.01):
            done = run([given.weir, "merge", scratch / "run", "--timing", mode, "--error", error, "--keep-live"])
            if not checks.expect(f"{mode} {error}: merged", done.returncode == 0, done.stderr.decode()):
                continue
            rough = times(scratch / "run")
            checks.expect(f"{mode} {error}: times are rough indeed", rough != exact)
            # Half a nanosecond for what a whole number of them cannot say, on both sides.
            worst = max(abs(r - e) - 1 - error * e for (_, r), (_, e) in zip(rough, exact))
            checks.expect(f"{mode} {error}: every duration is within the bound", worst <= 0, f"by {worst:.1f} ns too far")
            # The bound of a start is relative to its distance from the start before, so that errors do not add up. That
            # is a difference of two whole numbers here, and up to one nanosecond longer.
            far = [abs(rough[i][0] - exact[i][0]) - 1 - error * (abs(exact[i][0] - exact[i - 1][0]) + 1) for i in range(1, len(exact))]
            checks.expect(f"{mode} {error}: every start is within the bound", max(far) <= 0,
                          f"{sum(f > 0 for f in far)} are not, by up to {max(far):.1f} ns")


def short_runs(given, checks, scratch):
    """A run of a millisecond is the same bytes when it is merged again."""
    for i in range(5):
        out = scratch / f"short{i}"
        trace(given.weir, out, ["echo", "a"], "--keep-live")
        first = (out / "trace.weir").read_bytes()
        done = run([given.weir, "merge", out, "--keep-live"])
        checks.equal(f"short run {i}: merged again", done.returncode, 0)
        checks.expect(f"short run {i}: the same bytes", (out / "trace.weir").read_bytes() == first)


def layers(given, checks, scratch):
    for wanted, other, program in (("posix", "stdio", "stdio_log"), ("stdio", "posix", "sequential")):
        place = scratch / wanted
        place.mkdir()
        done = trace(given.weir, scratch / f"{wanted}.trace", [given.programs / program, scratch / "log"], "--layers", wanted,
                     cwd=place)
        checks.expect(f"--layers {wanted}: runs", done.returncode in (0, 7), done.stderr.decode())
        seen = {record["layer"] for record in records_of(given.weir, scratch / f"{wanted}.trace")}
        checks.expect(f"--layers {wanted}: no call of {other}", other not in seen, str(seen))
        notes = json.loads(run([given.weir, "check", scratch / f"{wanted}.trace", "--json"]).stdout)["notes"]
        checks.expect(f"--layers {wanted}: weir check says so",
                      f"traced with --layers {wanted}: the verdict knows nothing of what that left out" in notes, notes)


def names_in(given, out):
    """The absolute names of files that records are about; not of programs that replace others."""
    found = set()
    records = dump(given.weir, out)
    next(records)
    for record in records:
        if not record["function"].startswith(("exec", "chdir")) and record["file"] is not None:
            found.add(record["file"])
    return found


def filters(given, checks, scratch):
    for name in ("a/inner", "b", "a_not"):
        (scratch / "files" / name).mkdir(parents=True)
    script = ("echo 1 > a/f; echo 2 > b/g; echo 3 > a/inner/h; echo 4 > a_not/i; cat a/f b/g a/inner/h a_not/i > /dev/null; "
              "cd a; cat f > /dev/null; cat ../b/g > /dev/null; cat ./inner/../f > /dev/null; cat $PWD/inner/h > /dev/null")
    root = str(scratch / "files")
    # Standard output of the program is a file, too, and neither of those.
    with (scratch / "stdout").open("w") as stdout:
        for number, (options, wanted, unwanted) in enumerate((
                (["--include", f"{root}/a"], ["a/f", "a/inner/h"], ["b/g", "a_not/i"]),
                (["--exclude", f"{root}/a"], ["b/g", "a_not/i"], ["a/f", "a/inner/h"]),
                (["--include", f"{root}/a", "--exclude", f"{root}/a/inner"], ["a/f"], ["b/g", "a_not/i", "a/inner/h"]),
                (["--include", root, "--exclude", f"{root}/a", "--include", f"{root}/a/inner"], ["b/g", "a/inner/h"],
                 ["a/f"]))):
            out = scratch / f"trace{number}"
            done = subprocess.run([given.weir, "trace", "--out", out, *options, "--", "sh", "-c", script],
                                  cwd=scratch / "files", stdout=stdout, stderr=subprocess.PIPE, check=False)
            what = " ".join(options).replace(root, "ROOT")
            checks.equal(f"{what}: status", done.returncode, 0)
            problem = verify(given.weir, out)
            checks.expect(f"{what}: verifies", not problem, problem)
            given_options = [" ".join(pair) for pair in zip(options[::2], options[1::2])]
            narrowed = json.loads(run([given.weir, "stat", out, "--json"]).stdout)["narrowed"]
            checks.equal(f"{what}: weir stat tells the options", sorted(narrowed), sorted(given_options))
            notes = json.loads(run([given.weir, "check", out, "--json"]).stdout)["notes"]
            said = [note for note in notes if note.startswith("traced with --")]
            checks.expect(f"{what}: weir check tells the options", len(said) == 1 and all(one in said[0] for one in given_options), notes)
            seen = {os.path.normpath(name) for name in names_in(given, out)}
            for name in wanted:
                checks.expect(f"{what}: {name} is there", f"{root}/{name}" in seen, str(sorted(seen)))
            for name in unwanted:
                checks.expect(f"{what}: {name} is not", f"{root}/{name}" not in seen, str(sorted(seen)))
            if options[0] == "--include":
                elsewhere = sorted(name for name in seen if not name.startswith(root))
                checks.equal(f"{what}: nothing elsewhere", elsewhere, [])


def replaced(given, checks, scratch):
    """A file that is wanted and one that is not behind one number, one stream or in one call: what is done to the first
    is there, the end that the other one puts to it among that, and nothing of the other."""
    inside, outside = scratch / "in", scratch / "out"
    for way, options in (("include", ["--include", inside]), ("exclude", ["--exclude", outside])):
        for place in (inside, outside):
            place.mkdir(exist_ok=True)
        out = scratch / f"{way}.trace"
        done = trace(given.weir, out, [given.programs / "replaced", inside, outside], *options, cwd=scratch)
        checks.equal(f"{way}: status", done.returncode, 0)
        problem = verify(given.weir, out)
        checks.expect(f"{way}: verifies", not problem, problem)
        records = records_of(given.weir, out, "--order", "process")
        names = sorted({one["file"] for one in records if str(one["file"]).startswith(str(outside))})
        checks.equal(f"{way}: nothing of what was left out", names, [])
        moved = [(one["function"], Path(one["file"]).name, one["moved_bytes"]) for one in records
                 if str(one["file"]).startswith(str(inside)) and one["moved_bytes"] > 0]
        checks.equal(f"{way}: what moved", [one for one in moved if one[0] != "read"],
                     [("write", "first", 10), ("write", "second", 30), ("copy_file_range", "second", 40), ("write", "third", 50),
                      ("fwrite", "stream", 2), ("fwrite", "stream2", 8)])
        ends = [one for one in records if one["function"] == "dup2" and descriptor(one["result"]) is not None]
        checks.equal(f"{way}: the numbers that were taken over", len(ends), 2)
        checks.equal(f"{way}: by what was left out", [one for one in ends[:1] if isinstance(one["result"], dict)], [])
        closed = [one["file"] for one in records if one["function"] == "freopen"]
        checks.equal(f"{way}: streams ended and begun", closed, [f"{inside}/stream", f"{inside}/stream2"])
        done = run([given.weir, "check", out, "--model", "session"])
        checks.expect(f"{way}: the file was closed before it was opened again", done.returncode == 0, done.stdout.decode())


def long_arguments(given, checks, scratch):
    """Lists of an argument are there to their last item; what is longer than that is kept in part, and told of."""
    code = ("import os\nfd = os.open('f', os.O_RDWR | os.O_CREAT)\nassert os.pwritev(fd, [b'x' * (i % 7 + 1) for i in range(1000)], 0) > 0\n"
            "os.spawnv(os.P_WAIT, '/bin/true', ['true', *map(str, range(2000))])\n")
    for more, what in (("", "as long as can be"), ("os.spawnv(os.P_WAIT, '/bin/true', ['true', 'x' * 20000])\n", "longer")):
        out = scratch / what.replace(" ", "_")
        done = trace(given.weir, out, ["python3", "-c", code + more], cwd=scratch)
        checks.equal(f"{what}: status", done.returncode, 0)
        records = records_of(given.weir, out)
        vectors = [one["arguments"]["iov"] for one in records if one["function"].startswith("pwritev")]
        checks.equal(f"{what}: lengths of a vector", vectors, [[i % 7 + 1 for i in range(1000)]])
        words = [one["arguments"]["argv"] for one in records if one["function"].startswith("exec") and one["arguments"].get("path") == "/bin/true"]
        checks.equal(f"{what}: words of a command", [len(one) for one in words], [2001, 2][:1 + bool(more)])
        told = run([given.weir, "verify", out]).stdout.decode()
        checks.equal(f"{what}: is told", "too long to be kept whole" in told, bool(more))


def buffers(given, checks, scratch):
    """Memory is named by the allocation it lies in, the same in every run; nobody else's calls look different."""
    seen = []
    for number in range(2):
        out = scratch / f"run{number}"
        done = trace(given.weir, out, [given.programs / "buffers"], "--buffers", cwd=scratch)
        checks.equal("buffers: status", done.returncode, 0)
        problem = verify(given.weir, out)
        checks.expect("buffers: verifies", not problem, problem)
        records = [one for one in records_of(given.weir, out, "--order", "process") if one["function"] == "pwrite"]
        names = [one["arguments"]["buf"] for one in records]
        said = done.stdout.decode().split()
        good = len(names) == len(said) and all(fnmatch.fnmatchcase(name, wanted) for name, wanted in zip(names, said))
        checks.expect(f"buffers: {len(said)} places as the program says", good, f"{names} instead of {said}")
        seen.append(names)
    checks.equal("buffers: the same in another run", seen[1], seen[0])
    plain_run = trace(given.weir, scratch / "without", [given.programs / "buffers"], cwd=scratch)
    checks.equal("without --buffers: status", plain_run.returncode, 0)
    named = [one for one in records_of(given.weir, scratch / "without") if isinstance(one["arguments"].get("buf"), str)]
    checks.equal("without --buffers: nothing is said of memory", named, [])
    code = "import json, zlib; print(len(zlib.compress(json.dumps(list(range(200000))).encode())))"
    bare = run(["python3", "-c", code])
    done = trace(given.weir, scratch / "python", ["python3", "-c", code], "--buffers")
    checks.equal("python3 with --buffers", (done.returncode, done.stdout), (bare.returncode, bare.stdout))


PARTS = [timing, bounded, short_runs, layers, filters, replaced, long_arguments, buffers]


def main():
    return run_parts(__doc__, PARTS, lambda part, given, checks, scratch: part(given, checks, scratch))


if __name__ == "__main__":
    sys.exit(main())
