"""`weir run --verify`: a model that is too weak for a program is caught at the read, one that is enough is not."""
import json
import os
import pwd
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import Checks, Directory, scratch_directory  # noqa: E402
from parallel import build, launcher  # noqa: E402

# Two processes, told in turn what to do: the lines come as arguments, each for one of them.
TOLD = """
import subprocess, sys
CHILD = '''
import os, sys
path = sys.argv[1]
for line in sys.stdin:
    exec(line)
    print('done', flush=True)
'''
both = {name: subprocess.Popen([sys.executable, '-c', CHILD, sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True) for name in 'ab'}
for step in sys.argv[3:]:
    name, line = step.split(': ', 1)
    both[name].stdin.write(line + chr(10))
    both[name].stdin.flush()
    if both[name].stdout.readline() != 'done' + chr(10): sys.exit(9)
for process in both.values():
    process.stdin.close()
    process.wait()
sys.exit(int(sys.argv[2]))
"""

OPEN = "f = os.open(path, os.O_RDWR | os.O_CREAT)"
BEGIN = ["a: " + OPEN, "b: " + OPEN, "a: os.pwrite(f, b'newer', 100)"]
READ = "b: os.pread(f, 200, 0)"
NEEDS_COMMIT = [*BEGIN, "a: os.fsync(f)", READ]
NEEDS_POSIX = [*BEGIN, READ]
SESSION_IS_ENOUGH = [*BEGIN, "a: os.close(f)", "b: os.close(f)", "b: " + OPEN, READ]


def told(there, steps, consistency, *options, status=0):
    return there.run([sys.executable, "-c", TOLD, there.path / "shared", status, *steps], "--verify", *options,
                     consistency=consistency)


def verdicts(checks, weir):
    for what, steps, consistency, status in (
            ("needs commit", NEEDS_COMMIT, "session", 1), ("needs commit", NEEDS_COMMIT, "commit", 0),
            ("needs commit", NEEDS_COMMIT, "posix", 0), ("needs posix", NEEDS_POSIX, "commit", 1),
            ("needs posix", NEEDS_POSIX, "posix-lock", 0), ("session is enough", SESSION_IS_ENOUGH, "session", 0),
            ("session is enough", SESSION_IS_ENOUGH, "commit", 0), ("session is enough", SESSION_IS_ENOUGH, "none", 1)):
        for servers in (1, 2):
            with Directory(weir) as there:
                done = told(there, steps, consistency, "--local", servers)
                checks.equal(f"a program that {what} under {consistency}, {servers} servers",
                             (done.returncode, "stale" in done.stderr), (status, status == 1))
                checks.equal("its file is flushed all the same", (there.path / "shared").exists(), True)


def reports(checks, weir):
    with Directory(weir) as there:
        done = told(there, NEEDS_COMMIT, "session")
        for words in (str(there.path / "shared"), "bytes 100 to 104", "read by process", "written by process",
                      "under session", "close"):
            checks.expect(f"the report says '{words}'", words in done.stderr, done.stderr)
    with Directory(weir) as there:
        done = told(there, [*NEEDS_POSIX, READ, READ], "commit", "--json")
        found = json.loads(done.stdout)["verify"]
        checks.equal("counts", (done.returncode, found["checked_reads"], found["stale_reads"]), (1, 3, 3))
        reads = [one for one in found["stale"] if one["writer"] is not None]
        checks.equal("one row for a reader and a writer",
                     [(one["file"], one["model"], one["begin_bytes"], one["end_bytes"], one["missing"], one["times"])
                      for one in reads], [(str(there.path / "shared"), "commit", 100, 105, "publish", 3)])
        checks.expect("what would have published", {"fsync", "close"} <= set(reads[0]["calls"]), str(reads))
        checks.expect("two processes", reads[0]["reader"]["pid"] != reads[0]["writer"]["pid"], str(reads))
    with Directory(weir) as there:
        done = told(there, [*BEGIN, "a: os.close(f)", READ], "session", "--json")
        found = [one for one in json.loads(done.stdout)["verify"]["stale"] if one["writer"] is not None]
        checks.equal("a reader that has not opened again", (done.returncode, [one["missing"] for one in found]),
                     (1, ["look"]))
    with Directory(weir) as there:
        done = told(there, NEEDS_COMMIT, "session", status=5)
        checks.equal("the program's own status comes first", (done.returncode, "stale" in done.stderr), (5, True))
    with Directory(weir) as there:
        first = told(there, NEEDS_COMMIT, "session", "--keep")
        again = told(there, [READ.replace("b: ", "a: " + OPEN + "; ")], "session")
        checks.equal("the next step answers for itself only", (first.returncode, again.returncode), (1, 0))
    with Directory(weir) as there:
        done = there.run([sys.executable, "-c", "pass"], "--json")
        checks.equal("without --verify nothing is said of it", json.loads(done.stdout)["verify"], None)


def ranks(checks, weir):
    start = launcher()
    if start is None:
        return checks.skip("ranks", "no Open MPI")
    with scratch_directory() as scratch:
        program = build(checks, scratch, Path(__file__).with_name("late_reader.c"), "late_reader", "mpicc.openmpi")
        if program is None:
            return None
        for how, consistency, status in (("fsync", "session", 1), ("fsync", "commit", 0), ("close", "session", 0),
                                         ("close", "commit", 0), ("nothing", "commit", 1)):
            for traced in (False, True) if how == "fsync" else (False,):
                with Directory(weir) as there:
                    trace = [weir, "trace", "--out", there.scratch / "trace", "--"] if traced else []
                    done = there.run([*trace, *start, program, there.path / "shared", how], "--verify", "--json", "--local", 2,
                                     consistency=consistency)
                    name = f"ranks, {how} under {consistency}{', traced' if traced else ''}"
                    if not checks.equal(name, (done.returncode, done.stderr if done.returncode not in (0, 1) else ""),
                                        (status, "")):
                        continue
                    found = json.loads(done.stdout[done.stdout.index('{'):])["verify"]
                    pairs = sorted({(one["writer"]["rank"], one["reader"]["rank"]) for one in found["stale"]
                                    if one["writer"] is not None})
                    # Each rank writes its part and reads its neighbour's.
                    checks.equal(f"{name}: who", pairs, [(0, 3), (1, 0), (2, 1), (3, 2)] if status else [])
    return None


def stage_in(checks, weir):
    with Directory(weir) as there:
        (there.path / "in").mkdir()
        for name, text in (("in/a.dat", "first" * 1000), ("in/b.dat", "second"), ("in/c.txt", "third")):
            (there.path / name).write_text(text)
            os.utime(there.path / name, (1000, 2000))
        script = ("import os, sys; d = sys.argv[1]; s = os.stat(d + '/in/a.dat'); "
                  "print(open(d + '/in/a.dat').read()[:5], open(d + '/in/c.txt').read(), s.st_size, int(s.st_mtime))")
        done = there.run([sys.executable, "-c", script, there.path], "--stage-in", "in/*.dat", "--keep", "--json")
        lines = done.stdout.split("\n", 1)
        document = json.loads(lines[1])
        checks.equal("staged files read the same", (done.returncode, lines[0]), (0, "first third 5000 2000"))
        checks.equal("what was staged", (document["stage_in"]["files"], document["stage_in"]["bytes"]), (2, 5006))
        there.job = document["job_file"]
        stats = json.loads(there.fs("stats", "--json").stdout)
        checks.expect("it is in the buffer", stats["bytes"]["published"] >= 5006, str(stats))
        listed = json.loads(there.fs("ls", there.path / "in", "--json").stdout)["entries"]
        checks.equal("and clean", [(row["path"], row["buffered_bytes"]) for row in listed],
                     [("in/a.dat", 0), ("in/b.dat", 0), ("in/c.txt", 0)])
        done = there.run(["sh", "-c", f"printf X | dd of={there.path}/in/b.dat conv=notrunc 2> /dev/null"])
        checks.equal("written over and flushed", (done.returncode, (there.path / "in/b.dat").read_text(),
                                                  (there.path / "in/a.dat").read_text()), (0, "Xecond", "first" * 1000))
        checks.equal("the time of what was only staged", int((there.path / "in/a.dat").stat().st_mtime), 2000)
    with Directory(weir) as there:
        (there.path / "a").write_text("a")
        done = there.run(["true"], "--stage-in", "nothing*")
        checks.equal("a pattern that nothing matches", (done.returncode, "nothing*" in done.stderr), (2, True))
        checks.equal("leaves nothing behind", os.listdir(there.path), ["a"])
        done = there.run(["cat", there.path / "a"], "--json", "--stage-in")
        checks.equal("everything", (done.returncode, json.loads(done.stdout[1:])["stage_in"]["files"]), (0, 1))
    with Directory(weir) as there:
        for name in ("written", "staged"):
            (there.path / name).write_text("old text")
        done = there.run(["sh", "-c", f"printf NEW | dd of={there.path}/written conv=notrunc 2> /dev/null"], "--keep")
        checks.equal("a step that writes over input", done.returncode, 0)
        done = there.run(["cat", there.path / "written"], "--json", "--stage-in")
        checks.equal("what the step before has written is not staged over",
                     (done.returncode, done.stdout[:8], json.loads(done.stdout[8:])["stage_in"]["files"]), (0, "NEW text", 1))
        checks.equal("and flushed", (there.path / "written").read_text(), "NEW text")


def stage_in_by_a_user(checks, weir):
    """Input that nobody may write, not even its owner, and input of others."""
    if os.geteuid() != 0:
        return checks.skip("input of others", "only root can make some")
    nobody = pwd.getpwnam("nobody")
    with Directory(weir) as there:
        for name in ("own", "of another"):
            (there.path / name).write_text("text")
            (there.path / name).chmod(0o444)
            os.utime(there.path / name, (1000, 2000))
        for path in (there.scratch, there.path, there.buffer, there.path / "own"):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
        show = "import os, sys; print([int(os.stat(f).st_mtime) for f in sys.argv[1:]])"
        done = there.run(["/usr/bin/python3", "-c", show, there.path / "own", there.path / "of another"], "--json", "--stage-in",
                         user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[])
        if not checks.equal("read-only input", (done.returncode, done.stderr if done.returncode else ""), (0, "")):
            return None
        times, document = done.stdout.split("\n", 1)
        return checks.equal("is staged", (times, json.loads(document)["stage_in"]["files"]), ("[2000, 2000]", 2))


def main():
    weir = sys.argv[1]
    checks = Checks()
    verdicts(checks, weir)
    reports(checks, weir)
    stage_in(checks, weir)
    stage_in_by_a_user(checks, weir)
    ranks(checks, weir)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
