"""What goes wrong around a campaign is said, kept as a row, and loses nothing: full disks, read-only and missing directories,
bad grids, stores that are locked, newer or no stores at all, settings that may not be set.
"""
import os
import sqlite3
import subprocess
import sys

from common import answer_of, rows_of, run, run_parts

SMALL = """
name = "small"
runs = {runs}
warm_up = 0
[factors]
mode = [{modes}]
[fixed]
file_size = "{size}"
record_size = "64k"
"""


def grid(scratch, runs=3, modes='"initial_write"', size="1M"):
    path = scratch / "small.toml"
    path.write_text(SMALL.format(runs=runs, modes=modes, size=size))
    return path


def bench(weir, scratch, *options):
    return run([weir, "bench", "run", "--db", scratch / "small.db", *options], cwd=scratch)


def full_disk(weir, examples, checks, scratch):
    if os.geteuid() != 0:
        return checks.skip("full disk", "mounting needs root")
    place = scratch / "full"
    place.mkdir()
    if run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", place]).returncode != 0:
        return checks.skip("full disk", "tmpfs cannot be mounted here")
    try:
        done = bench(weir, scratch, "--grid", grid(scratch), "--dir", place)
        rows = rows_of(weir, scratch / "small.db")
        checks.equal("every run is a failed row", [row["state"] for row in rows], ["failed"] * 3)
        checks.expect("the reason is the disk", all("space" in row["reason"] for row in rows), str(rows[:1]))
        checks.equal("the campaign went on to its end", done.returncode, 0)
        checks.equal("files left behind", list(place.rglob("*")), [])
        (scratch / "small.db").unlink()
        stopped = bench(weir, scratch, "--grid", grid(scratch), "--dir", place, "--on-failure", "stop")
        checks.equal("--on-failure stop stops at the first", len(rows_of(weir, scratch / "small.db")), 1)
        checks.expect("and says so", stopped.returncode == 4 and b"--resume" in stopped.stderr, stopped.stderr.decode())
    finally:
        run(["umount", place])


def directories(weir, examples, checks, scratch):
    missing = bench(weir, scratch, "--grid", grid(scratch), "--dir", scratch / "nowhere")
    checks.expect("a missing directory is said before anything runs",
                  missing.returncode == 2 and b"nowhere" in missing.stderr, missing.stderr.decode())
    checks.expect("and no store is made", not (scratch / "small.db").exists())
    file = scratch / "file"
    file.write_text("")
    wrong = bench(weir, scratch, "--grid", grid(scratch), "--dir", file)
    checks.expect("so is a file", wrong.returncode == 2 and b"file" in wrong.stderr, wrong.stderr.decode())


def grids(weir, examples, checks, scratch):
    def refused(what, text, *words):
        path = scratch / "bad.toml"
        path.write_text(text)
        done = bench(weir, scratch, "--grid", path, "--dir", scratch)
        complaint = done.stderr.decode()
        checks.expect(what, done.returncode == 2 and all(word in complaint for word in words), complaint)

    refused("no valid configuration", 'name = "x"\nconstraints = ["record_size > file_size"]\n[factors]\n'
            'record_size = ["4k"]\nfile_size = ["1M"]\n', "bad.toml", "record_size > file_size")
    refused("a level that is no number", 'name = "x"\nconstraints = ["threads < 4"]\n[factors]\nthreads = [1, "many"]\n',
            "threads", "many")
    refused("a factor nobody knows", 'name = "x"\n[factors]\nrecord_sise = ["4k"]\n', "record_sise", "record_size")
    refused("a mode nobody knows", 'name = "x"\n[factors]\nmode = ["reed"]\n', "reed")
    refused("a job that makes no sense", 'name = "x"\n[factors]\nrecord_size = ["4M"]\n[fixed]\nfile_size = "1M"\n',
            "record_size")
    refused("no TOML", "name = \n", "bad.toml")
    checks.expect("no store is made", not (scratch / "small.db").exists())


def stores(weir, examples, checks, scratch):
    store = scratch / "small.db"
    store.write_text("not a store at all, but long enough to look like something")
    done = bench(weir, scratch, "--grid", grid(scratch), "--dir", scratch)
    checks.expect("a file that is no store", done.returncode == 2 and b"small.db" in done.stderr, done.stderr.decode())
    checks.equal("and is left as it was", store.read_text()[:15], "not a store at ")
    store.unlink()

    checks.equal("a store is made", bench(weir, scratch, "--grid", grid(scratch), "--dir", scratch).returncode, 0)
    database = sqlite3.connect(store, isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    locked = bench(weir, scratch, "--resume", "--runs", 5, "--dir", scratch)
    checks.expect("a locked store", locked.returncode in (2, 4) and b"another process" in locked.stderr,
                  f"{locked.returncode} {locked.stderr.decode()}")
    database.execute("ROLLBACK")
    database.execute("PRAGMA user_version = 999")
    database.close()
    newer = bench(weir, scratch, "--resume", "--runs", 5, "--dir", scratch)
    checks.expect("a newer store", newer.returncode == 2 and b"version" in newer.stderr, newer.stderr.decode())


def resumes(weir, examples, checks, scratch):
    checks.equal("a campaign", bench(weir, scratch, "--grid", grid(scratch), "--dir", scratch).returncode, 0)
    more = bench(weir, scratch, "--resume", "--runs", 5, "--dir", scratch)
    checks.equal("goes on with more runs", (more.returncode, len(rows_of(weir, scratch / "small.db"))), (0, 5))
    other = bench(weir, scratch, "--resume", "--grid", grid(scratch, size="2M"), "--dir", scratch)
    checks.expect("not with another grid", other.returncode == 2 and b"grid" in other.stderr, other.stderr.decode())
    nothing = run([weir, "bench", "run", "--resume", "--db", scratch / "none.db", "--dir", scratch])
    checks.expect("not without a store", nothing.returncode == 2 and b"none.db" in nothing.stderr, nothing.stderr.decode())


def until(weir, examples, checks, scratch):
    done = answer_of([weir, "bench", "run", "--grid", grid(scratch, modes='"read"'), "--db", scratch / "u.db", "--dir", scratch,
                      "--until", "50%", "--runs", 200, "--no-monitors"])
    checks.expect("--until stops early, never below 30", 30 <= done["runs"] < 200, str(done["runs"]))


def settings(weir, examples, checks, scratch):
    path = scratch / "settings.toml"
    path.write_text('name = "s"\n[factors]\ncpu_frequency = ["1.2GHz", "2.4GHz"]\n[fixed]\nfile_size = "64k"\nrecord_size = "4k"\n')
    done = run([weir, "bench", "run", "--grid", path, "--db", scratch / "s.db", "--dir", scratch])
    if done.returncode == 0:
        return checks.skip("settings", "this machine lets the frequency be set")
    checks.expect("a setting that cannot be set names its file", done.returncode == 3 and b"/sys/" in done.stderr,
                  f"{done.returncode} {done.stderr.decode()}")


def killed_worker(weir, examples, checks, scratch):
    path = scratch / "p.toml"
    path.write_text('name = "p"\nruns = 2\nwarm_up = 0\n[factors]\nmode = ["initial_write"]\n[fixed]\nworkers = "processes"\n'
                    'count = 2\nfile_size = "64M"\nrecord_size = "4k"\nsync = "osync"\n')
    process = subprocess.Popen([weir, "bench", "run", "--grid", path, "--db", scratch / "p.db", "--dir", scratch],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    killed = False
    for _ in range(2000):
        children = run(["pgrep", "-P", process.pid]).stdout.split()
        if len(children) >= 2:
            killed = run(["kill", "-9", children[-1].decode()]).returncode == 0
            break
        if process.poll() is not None:
            break
    process.communicate(timeout=120)
    if not killed:
        return checks.skip("killed worker", "no worker was seen")
    rows = rows_of(weir, scratch / "p.db")
    checks.expect("a killed worker fails its run, and the campaign goes on",
                  [row["state"] for row in rows][0] == "failed" and len(rows) == 2 and "signal" in rows[0]["reason"], str(rows))


if __name__ == "__main__":
    sys.exit(run_parts(__doc__, [full_disk, directories, grids, stores, resumes, until, settings, killed_worker]))
