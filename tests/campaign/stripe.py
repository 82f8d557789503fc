"""`weir stripe` on throttled loop devices: T and S_i are stored and fitted, the verdict is printed, and the devices are gone
afterwards, also when weir is killed.
"""
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from common import answer_of, rows_of, run, run_parts


def loop_devices():
    return {line.split(":")[0] for line in run(["losetup", "-a"]).stdout.decode().splitlines() if "testbed" in line}


def groups():
    return sorted(path.name for path in Path("/sys/fs/cgroup").glob("**/weir-testbed-*") if path.is_dir())


def possible(checks):
    if os.geteuid() != 0 or not Path("/dev/loop-control").exists():
        checks.skip("testbed", "needs root and loop devices")
        return False
    return True


def on_a_testbed(weir, examples, checks, scratch):
    if not possible(checks):
        return
    command = [weir, "stripe", "--testbed", 16, "--size", "8M", "--stripe", "256k", "--runs", 30, "--rate", "32M", "--db",
               scratch / "stripe.db", "--json"]
    done = run(command)
    if done.returncode == 3:
        return checks.skip("testbed", done.stderr.decode().strip())
    if not checks.equal("exit code", (done.returncode, done.stderr.decode() if done.returncode else ""), (0, "")):
        return
    answer = json.loads(done.stdout)
    study = answer["study"]
    checks.equal("runs and targets", (study["runs"], study["targets"]), (30, 16))
    checks.expect("T is the largest S_i",
                  all(abs(total - max(parts)) < 1e-12 for total, parts in zip(answer["total_s"], answer["parts_s"])))
    checks.expect("GEV is fitted", study["gev"] is not None and study["gev"]["scale"] > 0, str(study["gev"]))
    checks.expect("correlations are there", len(study["correlation"]["matrix"]) == 16)
    checks.expect("the verdict is there", len(study["verdict"]) > 0)
    rows = rows_of(weir, scratch / "stripe.db")
    checks.equal("rows", [row["state"] for row in rows], ["ok"] * 30)
    fit = answer_of([weir, "fit", scratch / "stripe.db", "--column", "duration_s", "--family", "gev"])
    checks.expect("weir fit finds the same", abs(fit["groups"][0]["models"][0]["parameters"][0]["location"] -
                                                 study["gev"]["location"]) < 1e-6, str(fit["groups"][0]["models"][0]))
    checks.equal("devices and groups afterwards", (loop_devices(), groups()), (set(), []))


def taken_down_after_a_kill(weir, examples, checks, scratch):
    if not possible(checks):
        return
    process = subprocess.Popen([weir, "stripe", "--testbed", "4", "--size", "8M", "--runs", "100000"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        if len(loop_devices()) == 4 or process.poll() is not None:
            break
        time.sleep(0.05)
    if process.poll() is not None:
        return checks.skip("kill", "the testbed cannot be made here")
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    for _ in range(200):
        if not loop_devices() and not groups():
            break
        time.sleep(0.05)
    checks.equal("devices and groups after kill -9", (loop_devices(), groups()), (set(), []))


def over_directories(weir, examples, checks, scratch):
    targets = [scratch / f"t{i}" for i in range(3)]
    for target in targets:
        target.mkdir()
    named = ",".join(str(target) for target in targets)
    done = run([weir, "stripe", "--targets", named, "--size", "3M", "--stripe", "64k", "--runs", 20])
    checks.expect("a table and a verdict", done.returncode == 0 and b"Verdict:" in done.stdout, done.stderr.decode())
    checks.equal("files left behind", [path for target in targets for path in target.iterdir()], [])
    one = answer_of([weir, "stripe", "--targets", targets[0], "--size", "1M", "--runs", 20])
    checks.equal("one target has no parts", (one["study"]["targets"], one["parts_s"][0]), (None, None))
    targets[1].rmdir()
    gone = run([weir, "stripe", "--targets", named, "--size", "3M", "--runs", 5])
    checks.expect("a target that is not there is named", gone.returncode == 2 and b"t1" in gone.stderr,
                  f"{gone.returncode} {gone.stderr.decode()}")
    wrong = run([weir, "stripe", "--runs", 5])
    checks.expect("no target at all", wrong.returncode == 2 and b"--targets" in wrong.stderr, wrong.stderr.decode())


if __name__ == "__main__":
    sys.exit(run_parts(__doc__, [on_a_testbed, taken_down_after_a_kill, over_directories]))
