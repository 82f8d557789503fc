"""Studies of small programs: steps, what is put back, failures, interruptions, wrong use."""
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import Checks, Study, agrees, scratch_directory, tree  # noqa: E402

WRITER = ["sh", "-c", "mkdir -p out/deep; for i in 1 2 3; do seq 1 2000 > out/deep/$i; done; cat out/deep/1 > out/sum"]


def whole(checks, weir):
    with scratch_directory() as scratch:
        study = Study(weir, scratch)
        (study.scratch / "out").mkdir()
        done = study.run(WRITER, "--runs", 3)
        checks.equal("a small program", done.returncode, 0)
        if done.returncode != 0:
            print(done.stdout, done.stderr)
            return
        document = agrees(checks, "a small program", study, runs=3)
        checks.equal("its directory is found", document["directory"], str(study.scratch / "out"))
        checks.equal("its files", (document["files"], document["results"]["files"]), (4, 4))
        checks.expect("ten lines", len(done.stdout.splitlines()) == 10, done.stdout)
        checks.expect("plan and estimate come first", done.stderr.startswith("plan:") and "estimate:" in done.stderr.split("tracing")[0])
        checks.equal("results are the same", (document["results"]["same"], document["results"]["runs_compared"], document["results"]["varying"]), (True, 3, []))
        size = sum(len(held) for held in tree(study.scratch / "out").values())
        checks.equal("every run is counted", {int(run["written_bytes"]) for run in study.samples()}, {size})
        checks.expect("I/O is a part of the run", all(0 < float(row["io_s"]) < float(row["run_s"]) for row in study.samples()))
        left = tree(study.scratch / "out")
        subprocess.run(WRITER, cwd=study.scratch, check=True)
        checks.equal("the directory is left as the program leaves it", left, tree(study.scratch / "out"))

        # The same command again runs nothing and leaves the directory alone; a larger number adds runs.
        before = study.document("state.json")
        (study.scratch / "out" / "sum").write_text("changed by hand since then\n")
        again = study.run(WRITER, "--runs", 3, "--json")
        checks.equal("nothing to run: nothing is touched", (study.scratch / "out" / "sum").read_text(), "changed by hand since then\n")
        checks.equal("the same command again", (again.returncode, study.document("state.json")["runs"]), (0, before["runs"]))
        checks.expect("says that runs are there", "6 of 6 runs are there" in again.stderr, again.stderr)
        more = study.run(WRITER, "--runs", 4, "--compare", "posix")
        after = study.document("state.json")["runs"]
        checks.equal("more runs", (more.returncode, after[:6], sorted(run["where"] for run in after[6:])),
                     (0, before["runs"], sorted(["own", document["model"], *["posix"] * (0 if document["model"] == "posix" else 4)])))
        other = study.run(["true"])
        checks.expect("another command in its place", other.returncode == 2 and "study of another command" in other.stderr, other.stderr)


def changed_inputs(checks, weir):
    with scratch_directory() as scratch:
        study = Study(weir, scratch)
        (study.scratch / "out").mkdir()
        program, result = study.scratch / "app.sh", study.scratch / "out" / "result"
        program.write_text("seq 1 2000 > $1\n")
        result.write_text("of an earlier run\n")
        command = ["sh", "app.sh", "out/result"]
        checks.equal("a script", study.run(command, "--runs", 2).returncode, 0)
        again = study.run(command, "--runs", 2)
        checks.expect("what the program writes is no input", again.returncode == 0 and "4 of 4 runs are there" in again.stderr, again.stderr)
        program.write_text("seq 1 3000 > $1 # another program\n")
        other = study.run(command, "--runs", 3)
        checks.expect("a program that was changed needs another --out",
                      other.returncode == 2 and f"{program} changed" in other.stderr and "--out" in other.stderr, f"{other.returncode} {other.stderr}")


def put_back(checks, weir):
    append = ["sh", "-c", "cat out/log | wc -l >> out/log; rm -f out/gone; echo new > out/made"]
    for given in (["--dir", "out"], []):
        name = "with --dir" if given else "without --dir"
        with scratch_directory() as scratch:
            study = Study(weir, scratch)
            out = study.scratch / "out"
            out.mkdir()
            (out / "log").write_text("first\n")
            (out / "foreign").write_text("not the program's\n")
            if given:
                (out / "gone").write_text("still here\n")
                (out / os.fsdecode(b"m\xe4rz")).write_text("no UTF-8\n")
            done = study.run(append, "--runs", 2, *given)
            checks.equal(f"{name}: status", done.returncode, 0)
            if done.returncode != 0:
                print(done.stdout, done.stderr)
                continue
            document = study.document()
            checks.equal(f"{name}: results are the same", (document["results"]["same"], document["results"]["varying"]), (True, []))
            checks.equal(f"{name}: others' files stay", (out / "foreign").read_text(), "not the program's\n")
            if given:
                left = {"foreign": b"not the program's\n", "log": b"first\n1\n", os.fsdecode(b"m\xe4rz"): b"no UTF-8\n", "made": b"new\n"}
                checks.expect(f"{name}: as after one run", tree(out) == left, ascii(tree(out)))
                more = study.run(append, "--runs", 3, *given)
                checks.expect(f"{name}: as after one run, when it has gone on", more.returncode == 0 and tree(out) == left, ascii((more.stderr, tree(out))))
            else:  # the traced run had changed it before anything was kept
                checks.equal(f"{name}: as after a run on what the traced one left", (out / "log").read_bytes(), b"first\n1\n2\n")
                checks.expect(f"{name}: which is said", any("log was there" in note for note in document["notes"]), str(document["notes"]))


def odd_programs(checks, weir):
    with scratch_directory() as scratch:
        study = Study(weir, scratch)
        (study.scratch / "out").mkdir()
        done = study.run(["sh", "-c", "echo told; echo x > out/a; exit 7"])
        checks.expect("a program that fails", done.returncode == 7 and "told" in done.stderr and "status 7" in done.stderr, f"{done.returncode} {done.stderr}")
        checks.expect("and no page", not (study.scratch / "study" / "page.html").exists())
        later = ["sh", "-c", "seq 1 2000 > out/a; echo x >> times; test $(wc -l < times) -lt 4 || exit 9"]
        done = study.run(later, "--runs", 5, out="later")
        checks.equal("a program that fails later on", (done.returncode, len(study.document("state.json", "later")["runs"])), (9, 2))
        done = study.run(["sh", "-c", "cat /etc/hostname > /dev/null"], out="nothing")
        checks.expect("a program that writes nothing", done.returncode == 0 and "writes" in done.stdout and "nothing" in done.stdout, f"{done.returncode} {done.stdout} {done.stderr}")
        checks.equal("has no runs", study.document(out="nothing")["runs"], [])
        done = study.run(["sh", "-c", "date +%s%N > out/stamp; echo same > out/same"], "--runs", 2, out="varying")
        results = study.document(out="varying")["results"]
        checks.equal("files that differ anyhow are not held against it", (done.returncode, results["same"], results["varying"]), (0, True, ["stamp"]))
        done = study.run(["sh", "-c", "sleep 0.3; echo x > out/a"], "--runs", 50, "--budget", "2s", out="budget")
        rows = study.samples("budget")
        checks.expect("a budget ends the runs", done.returncode == 0 and 6 <= len(rows) < 40 and study.document(out="budget")["stopped_by_budget"], f"{done.returncode} {len(rows)} {done.stderr}")
        # What is seen of others' results: same names, other bytes, on the burst buffer alone.
        cheat = ["sh", "-c", "case $LD_PRELOAD in *weir-burst*) echo burst;; *) echo plain;; esac > out/who"]
        done = study.run(cheat, "--runs", 2, out="cheat")
        results = study.document(out="cheat")["results"]
        checks.expect("other bytes are found, exit 1", done.returncode == 1 and not results["same"] and results["runs_different"] == 2 and "who" in results["examples"][0], f"{done.returncode} {results}")
        # A file that differs anyhow must be there all the same; so must be gone what the program removes.
        on_burst = "case $LD_PRELOAD in *weir-burst*) true;; *) false;; esac"
        done = study.run(["sh", "-c", f"{on_burst} && : > out/stamp || date +%s%N > out/stamp"], "--runs", 2, out="empty")
        results = study.document(out="empty")["results"]
        checks.expect("a file that is empty on the burst buffer", done.returncode == 1 and "stamp has 0 bytes" in results["examples"][0], f"{done.returncode} {results}")
        (study.scratch / "data").mkdir()
        (study.scratch / "data" / "input").write_text("used up\n")
        done = study.run(["sh", "-c", f"seq 1 100 > data/a; {on_burst} || rm data/input"], "--runs", 2, "--dir", "data", out="removed")
        results = study.document(out="removed")["results"]
        checks.expect("a file that is not removed on the burst buffer", done.returncode == 1 and "input is still there" in results["examples"][0], f"{done.returncode} {results}")
        checks.equal("and is removed in the end, as by the first run", sorted(os.listdir(study.scratch / "data")), ["a"])


def stop(study, program, send, least):
    """Starts a study of six runs of each kind and sends it an interrupt when so many are done; gives its status."""
    state = study.scratch / "study" / "state.json"
    running = subprocess.Popen(study.words(program, "--runs", "6"), cwd=study.scratch, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and running.poll() is None:
        if state.exists() and state.read_text().count('"number"') >= least:
            break
        time.sleep(0.02)
    send(running.pid, signal.SIGINT)
    return running.wait(120)


def interrupted(checks, weir):
    program = ["sh", "-c", "sleep 0.2; seq 1 100 > out/a"]
    with scratch_directory() as scratch:
        study = Study(weir, scratch)
        (study.scratch / "out").mkdir()
        # From the terminal it reaches all processes; whichever of them was just beginning or ending, the study ends.
        status = stop(study, program, os.killpg, 3)
        before = study.document("state.json")
        checks.expect("an interrupt ends it", status == 130 and 3 <= len(before["runs"]) < 12, f"{status}, {len(before['runs'])} runs")
        # To the study alone: the run that is under way comes to its end.
        status = stop(study, program, os.kill, len(before["runs"]) + 1)
        later = study.document("state.json")
        checks.expect("so does one to the study alone", status == 130 and len(before["runs"]) < len(later["runs"]) < 12, f"{status}, {len(later['runs'])} runs")
        before = later
        made = (study.scratch / "study" / "trace").stat().st_mtime_ns
        done = study.run(program, "--runs", 6, "--resume")
        after = study.document("state.json")
        checks.equal("it goes on", (done.returncode, after["runs"][:len(before["runs"])], len(after["runs"])), (0, before["runs"], 12))
        checks.equal("the trace is not made again", (study.scratch / "study" / "trace").stat().st_mtime_ns, made)
        checks.equal("no servers and no buffers are left", [name for name in os.listdir(study.scratch / "out") if name.startswith(".weir")], [])


def killed(checks, weir):
    program = ["sh", "-c", "sleep 0.5; seq 1 100 > out/a"]
    with scratch_directory() as scratch:
        study = Study(weir, scratch)
        for name in ("out", "buffer"):
            (study.scratch / name).mkdir()
        options = ["--runs", "2", "--buffer", "buffer"]
        state = study.scratch / "study" / "state.json"
        running = subprocess.Popen(study.words(program, *options), cwd=study.scratch, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + 300
        # The first run is in the own directory: no servers outlive the study.
        while time.monotonic() < deadline and running.poll() is None and not (state.exists() and study.document("state.json")["workplace"]):
            time.sleep(0.02)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        checks.equal("a kill leaves the buffer of a run", len(os.listdir(study.scratch / "buffer")), 1)
        done = study.run(program, *options, "--resume")
        checks.expect("which goes when the study goes on", done.returncode == 0 and not os.listdir(study.scratch / "buffer"), f"{done.returncode} {done.stderr}")


def wrong_use(checks, weir):
    with scratch_directory() as scratch:
        study = Study(weir, scratch)
        (study.scratch / "full").mkdir()
        (study.scratch / "full" / "x").write_text("x")
        for what, words, options, status, says in (
                ("no such program", ["./no-such"], [], 2, "no such program"),
                ("one run", ["true"], ["--runs", "1"], 2, "--runs"),
                ("a budget that is none", ["true"], ["--budget", "soon"], 2, "--budget"),
                ("a model that is none", ["true"], ["--compare", "strict"], 2, "--compare"),
                ("no such matrix", ["true"], ["--matrix", "no.db"], 2, "no.db"),
                ("nothing to resume", ["true"], ["--resume"], 2, "no study"),
                ("no such buffer", ["true"], ["--buffer", "no/such"], 2, "--buffer")):
            done = study.run(words, *options)
            checks.expect(what, done.returncode == status and says in done.stderr, f"{done.returncode} {done.stderr}")
        done = study.run(["true"], out="full")
        checks.expect("a directory that holds something else", done.returncode == 2 and "no study" in done.stderr, done.stderr)
        (study.scratch / "bad").mkdir()
        (study.scratch / "bad" / "state.json").write_text("{}")
        done = study.run(["true"], out="bad")
        checks.expect("a state of another version", done.returncode == 2 and "another version" in done.stderr, f"{done.returncode} {done.stderr}")


def main():
    checks = Checks()
    for part in (whole, changed_inputs, put_back, odd_programs, interrupted, killed, wrong_use):
        part(checks, sys.argv[1])
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
