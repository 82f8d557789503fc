"""`weir run --consistency auto`: each file gets the weakest model that a trace of the program proves enough; `--learn` makes one."""
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import Checks, Directory, scratch_directory  # noqa: E402
from parallel import build, launcher  # noqa: E402

# One process after the other: closed before it is opened. The last file is nobody else's.
STEPS = 'cd "$1"; echo text > passed_on; cat passed_on > copy; echo x > own'


def words_of(there):
    return ["sh", "-c", STEPS, "sh", there.path]


def trace(there, words):
    """`weir trace` of the words, on the plain directory, which is empty again afterwards."""
    folder = there.scratch / "trace"
    done = subprocess.run([str(word) for word in (there.weir, "trace", "--out", folder, "--", *words)],
                          capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, check=False)
    for left in there.path.iterdir():
        left.unlink()
    return folder, done.returncode


def policy_in(text):
    """Models by the names below the directory."""
    rows = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    return {os.path.basename(name): model for model, name in rows}


def models_of(there, done):
    """Of a run with --keep --json: what the job says; then it is ended."""
    job = json.loads(done.stdout[done.stdout.index("{"):])["job_file"]
    there.job = Path(job)
    text = json.loads(there.job.read_text())["policy"]
    there.stop()
    return policy_in(text)


def from_a_trace(checks, weir):
    with Directory(weir) as there:
        folder, status = trace(there, words_of(there))
        checks.equal("traced", status, 0)
        done = there.run(words_of(there), "--trace", folder, "--keep", "--json", consistency="auto")
        checks.equal("auto by a trace", (done.returncode, done.stderr), (0, ""))
        checks.equal("what one process after the other uses", models_of(there, done),
                     {"passed_on": "session", "copy": "eventual", "own": "eventual"})
        checks.equal("its files", sorted((path.name, path.read_text()) for path in there.path.iterdir()),
                     [("copy", "text\n"), ("own", "x\n"), ("passed_on", "text\n")])
    with Directory(weir) as there:
        done = there.run(words_of(there), "--trace", there.scratch / "missing", consistency="auto")
        checks.equal("a trace that is not there", (done.returncode, "missing" in done.stderr), (2, True))
        checks.equal("leaves nothing behind", os.listdir(there.path), [])
        for what, words, model in (("--trace beside --policy", ("--policy", there.scratch / "policy"), "auto"),
                                   ("--trace beside --learn", ("--learn",), "auto"),
                                   ("--trace without auto", (), "session")):
            done = there.run(words_of(there), "--trace", there.scratch / "missing", *words, consistency=model)
            checks.equal(what, (done.returncode, "--trace" in done.stderr), (2, True))


def learnt(checks, weir):
    with Directory(weir) as there:
        policy = there.scratch / "learnt"
        done = there.run(words_of(there), "--learn", "--policy", policy)
        checks.equal("--learn", (done.returncode, str(policy) in done.stderr), (0, True))
        checks.equal("what it has learnt", policy_in(policy.read_text()),
                     {"passed_on": "session", "copy": "eventual", "own": "eventual"})
        checks.equal("the program has done its work", (there.path / "copy").read_text(), "text\n")
        for left in there.path.iterdir():
            left.unlink()
        done = there.run(words_of(there), "--policy", policy, "--keep", "--json", consistency="auto")
        checks.equal("auto by what was learnt", (done.returncode, models_of(there, done)["passed_on"]), (0, "session"))
        checks.equal("and the same files", (there.path / "copy").read_text(), "text\n")
        done = there.run(["sh", "-c", "exit 6"], "--learn", "--policy", there.scratch / "failed")
        checks.equal("of a program that fails nothing is learnt", (done.returncode, (there.scratch / "failed").exists()), (6, False))
        for option in (["--json"], ["--quota", "1G"], ["--local", "2"], ["--workers", "2"], ["--keep"]):
            done = there.run(["true"], "--learn", "--policy", there.scratch / "failed", *option)
            checks.equal(f"{option[0]} beside --learn", (done.returncode, f"leave {option[0]} for" in done.stderr), (2, True))
        done = there.run(["true"], "--learn", "--policy", there.scratch / "weak", consistency="session")
        checks.equal("it is learnt under posix only", (done.returncode, "--learn" in done.stderr), (2, True))
    with Directory(weir) as there:
        done = subprocess.run([str(word) for word in (weir, "run", "--dir", there.path, "--buffer", there.buffer, "--learn", "--",
                                                      *words_of(there))],
                              capture_output=True, text=True, timeout=300, cwd=there.scratch, check=False)
        checks.equal("a policy is named after the directory", (done.returncode, (there.scratch / "dir.policy").is_file()), (0, True))


def ranks(checks, weir):
    """What ranks need of each other's bytes: each reads its neighbour's part, however that was published."""
    start = launcher()
    if start is None:
        return checks.skip("ranks", "no Open MPI")
    with scratch_directory() as scratch:
        program = build(checks, scratch, Path(__file__).with_name("late_reader.c"), "late_reader", "mpicc.openmpi")
        for how, model in (("close", "session"), ("fsync", "commit"), ("nothing", "posix")) if program else ():
            with Directory(weir) as there:
                words = [*start, program, there.path / "shared", how]
                folder, status = trace(there, words)
                # Exit 1 names reads that were stale: none is, whatever the ranks publish.
                done = there.run(words, "--trace", folder, "--verify", "--keep", "--json", consistency="auto")
                checks.equal(f"ranks that publish by {how}", (status, done.returncode, done.stderr), (0, 0, ""))
                checks.equal(f"ranks that publish by {how}: the model", models_of(there, done), {"shared": model})
    return None


def main():
    weir = sys.argv[1]
    checks = Checks()
    from_a_trace(checks, weir)
    learnt(checks, weir)
    ranks(checks, weir)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
