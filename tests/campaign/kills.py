"""Campaigns that are killed and resumed end with exactly the planned rows, and feed `weir fit`.

The example grid runs, is killed with -9 three times at random moments and resumed; every (configuration, repeat) is then
there once, no file of a run is left, and nothing that was acknowledged was lost.
"""
import collections
import random
import signal
import subprocess
import sys
import time

from common import answer_of, rows_of, run, run_parts

RUNS = 40
CONFIGURATIONS = 12
KILLS = 3


def start(weir, examples, scratch, resume):
    command = [weir, "bench", "run", "--grid", examples / "quick.toml", "--runs", RUNS, "--dir", scratch / "files",
               "--db", scratch / "quick.db"]
    if resume:
        command.append("--resume")
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            cwd=scratch)


def killed_and_resumed(weir, examples, checks, scratch):
    (scratch / "files").mkdir()
    seed = int.from_bytes(random.SystemRandom().randbytes(4), "big")
    print(f"seed {seed}")
    moments = random.Random(seed)
    before = 0
    kills = 0
    while kills < KILLS:
        process = start(weir, examples, scratch, kills > 0)
        time.sleep(moments.uniform(0.05, 0.6))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if process.returncode == 0:
            break  # it was through before the kill
        kills += 1
        store = scratch / "quick.db"
        rows = len(rows_of(weir, store)) if store.exists() and run([weir, "bench", "show", store]).returncode == 0 else 0
        checks.expect(f"kill {kills} lost no row", rows >= before, f"{before} before, {rows} after")
        before = rows
        if not store.exists() or rows == 0:
            # Killed before the campaign was there: --resume has nothing to go on with.
            store.unlink(missing_ok=True)
            kills -= 1
            before = 0
    checks.equal("kills", kills, KILLS)
    process = start(weir, examples, scratch, True)
    output, complaints = process.communicate(timeout=300)
    checks.equal("the last resume succeeds", (process.returncode, complaints.decode() if process.returncode else ""), (0, ""))
    rows = rows_of(weir, scratch / "quick.db")
    checks.equal("rows", len(rows), RUNS * CONFIGURATIONS)
    keys = collections.Counter((row["mode"], row["threads"], row["record_size"], row["repeat"]) for row in rows)
    checks.equal("every planned run once", (len(keys), set(keys.values())), (RUNS * CONFIGURATIONS, {1}))
    checks.equal("failed runs", [row["reason"] for row in rows if row["state"] == "failed"], [])
    checks.equal("files left behind", sorted(str(path) for path in (scratch / "files").rglob("*")), [])
    again = start(weir, examples, scratch, True)
    again.communicate(timeout=300)
    checks.equal("a finished campaign stays as it is", (again.returncode, len(rows_of(weir, scratch / "quick.db"))),
                 (0, RUNS * CONFIGURATIONS))
    fit = answer_of([weir, "fit", scratch / "quick.db", "--group", "mode", "--all-runs"])
    checks.equal("weir fit reads the store", {group["key"]["mode"]: group["n"] for group in fit["groups"]},
                 {"initial_write": 160, "read": 160, "random_read": 160})


def interrupted(weir, examples, checks, scratch):
    (scratch / "files").mkdir()
    process = start(weir, examples, scratch, False)
    time.sleep(0.4)
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=60)
    checks.expect("Ctrl-C says how to go on", process.returncode == 0 or b"--resume" in complaints, complaints.decode())
    checks.equal("files left behind", list((scratch / "files").rglob("*")), [])
    process = start(weir, examples, scratch, True)
    process.communicate(timeout=300)
    checks.equal("rows", len(rows_of(weir, scratch / "quick.db")), RUNS * CONFIGURATIONS)


if __name__ == "__main__":
    sys.exit(run_parts(__doc__, [killed_and_resumed, interrupted]))
