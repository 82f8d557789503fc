"""`weir interfere` as a whole: matrices on a directory and on a testbed, kept, resumed and shown again; what it leaves behind;
runs that others disturb; classes of traced programs; advice.
"""
import contextlib
import csv
import json
import math
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import answer_of, rows_of, run, run_parts

SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts" / "testbed"
FIXED = ["probe", "signal", "chunk_bytes", "degradation_percent", "low", "high", "best_of_five_percent"]


def said(done):
    return done.returncode, done.stderr.decode()


def storage_of(scratch):
    storage = scratch / "storage"
    storage.mkdir(exist_ok=True)
    return storage


def on_a_directory(weir, examples, checks, scratch):
    storage = storage_of(scratch)
    command = [weir, "interfere", "matrix", "--dir", storage, "--patterns", "owc,aw,metadata", "--chunk", "16k,64k", "--runs", 2,
               "--size", "640k", "--db", scratch / "m.db", "--no-monitors"]
    answer = answer_of([*command, "--csv", scratch / "cells.csv"])
    checks.equal("schema", answer["schema"], "weir.interfere-matrix/1")
    checks.equal("cells", len(answer["cells"]), 2 * 9)
    checks.expect("fixed fields", all(field in cell for cell in answer["cells"] for field in FIXED))
    checks.expect("numbers", all(cell["degradation_percent"] <= 100 and cell["runs"] == 2 for cell in answer["cells"]),
                  str(answer["cells"][0]))
    checks.expect("nothing is cached where all is flushed",
                  all(alone["cached_bytes"] == 0 for alone in answer["alone"] if alone["probe"] == "open_write_close"))
    with open(scratch / "cells.csv", newline="") as file:
        checks.equal("CSV", len(list(csv.DictReader(file))), 18)
    checks.equal("rows", len(rows_of(weir, scratch / "m.db")), 2 * (18 + 6))
    checks.equal("files afterwards", list(storage.iterdir()), [])
    again = answer_of([weir, "interfere", "matrix", "--from", scratch / "m.db"])
    checks.equal("shown again", again["cells"], answer["cells"])
    more = [weir, "interfere", "matrix", "--dir", storage, "--patterns", "owc,aw,metadata", "--chunk", "16k,64k", "--runs", 3,
            "--size", "640k", "--db", scratch / "m.db", "--no-monitors", "--resume"]
    checks.expect("resumed with one run more", all(cell["runs"] == 3 for cell in answer_of(more)["cells"]))
    table = run([weir, "interfere", "matrix", "--from", scratch / "m.db"]).stdout.decode()
    checks.expect("a table for each chunk", table.count("what a probe loses") == 2, table)


def sweeps_with_a_command(weir, examples, checks, scratch):
    storage = storage_of(scratch)
    answer = answer_of([weir, "interfere", "sweep", "--dir", storage, "--probe", "cmd,owc", "--signal", "aw", "--chunk", "16k",
                        "--processes", "1:1,1:2", "--duty", "100%,50%", "--period", "100ms", "--layout", "per_worker,shared", "--runs",
                        1, "--size", "320k", "--no-monitors", "--command",
                        "cmd=for i in 1 2 3; do head -c 100000 /dev/zero > $i; sync $i; sleep 0.05; done"])
    cells = answer["cells"]
    probes = {cell["probe"] for cell in cells}
    checks.equal("probes", probes, {"cmd", "open_write_close", "aggregate_write"})
    checks.equal("settings of the command",
                 sorted({(c["signal_processes"], c["signal_duty"], c["layout"]) for c in cells if c["probe"] == "cmd"}),
                 sorted((n, d, l) for n in (1, 2) for d in (0.5, 1) for l in ("per_worker", "shared")))
    checks.expect("a signal that outlasts its probe is not measured",
                  all(cell["signal"] == "open_write_close" for cell in cells if cell["probe"] == "aggregate_write"))
    checks.expect("dilation", all(cell["dilation_percent"] is not None for cell in cells))


def matrix_with_a_command(weir, examples, checks, scratch):
    storage = storage_of(scratch)
    command = [weir, "interfere", "matrix", "--dir", storage, "--patterns", "aw,metadata", "--chunk", "16k", "--runs", 2, "--size", "160k",
               "--db", scratch / "m.db", "--no-monitors", "--command",
               "cmd=for i in 1 2 3; do head -c 100000 /dev/zero > $i; sleep 0.02; done"]
    answer = answer_of(command)
    programs = ("cmd", "aggregate_write", "metadata")  # both end before it: a signal that ends early makes no run
    checks.equal("all pairs", sorted((cell["probe"], cell["signal"], cell["runs"]) for cell in answer["cells"]),
                 sorted((probe, signal, 2) for probe in programs for signal in programs))
    checks.equal("resumed: nothing is missing", answer_of([*command, "--resume"])["cells"], answer["cells"])


def bad_input(weir, examples, checks, scratch):
    storage = storage_of(scratch)
    for arguments, code, text in [
        (["matrix"], 2, "no directory"),
        (["matrix", "--dir", scratch / "nowhere"], 2, "is no directory"),
        (["matrix", "--dir", storage, "--testbed", "loop"], 2, "exclude"),
        (["matrix", "--dir", storage, "--patterns", "owx"], 2, "no pattern"),
        (["matrix", "--dir", storage, "--chunk", "0"], 2, "--chunk"),
        (["matrix", "--dir", storage, "--chunk", "1G", "--room", "1G"], 2, "--room"),
        (["matrix", "--dir", storage, "--command", "x"], 2, "NAME=COMMAND"),
        (["matrix", "--dir", storage, "--resume"], 2, "--db"),
        (["matrix", "--from", scratch / "nowhere.db"], 2, "nowhere.db"),
        (["sweep", "--dir", storage, "--processes", "0:1"], 2, "--processes"),
        (["sweep", "--dir", storage, "--duty", "0%"], 2, "--duty"),
        (["sweep", "--dir", storage, "--probe", "bad", "--signal", "aw", "--command", "bad=echo no input; exit 3", "--size", "1M",
          "--no-monitors"], 4, "bad: ended with 3: no input"),
        (["classify", scratch], 2, ""),
        (["advise", "--matrix", scratch / "nowhere.db", "--program", "a=owc:1M", "--program", "b=aw:1M"], 2, "nowhere.db"),
        (["advise", "--matrix", scratch / "nowhere.db", "--program", "a=owc"], 2, "a"),
    ]:
        done = run([weir, "interfere", *arguments])
        checks.equal(" ".join(map(str, arguments)), (done.returncode, text in done.stderr.decode()), (code, True))
    checks.equal("files afterwards", list(storage.iterdir()), [])


def killed_and_resumed(weir, examples, checks, scratch):
    storage = storage_of(scratch)
    command = [weir, "interfere", "matrix", "--dir", storage, "--patterns", "owc,aw", "--chunk", "16k", "--runs", 30, "--size",
               "160k", "--db", scratch / "k.db", "--no-monitors", "--json"]
    for how in (signal.SIGINT, signal.SIGKILL):
        process = subprocess.Popen([*map(str, command), *(["--resume"] if how == signal.SIGKILL else [])],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        kept = 0
        while process.poll() is None and kept < (5 if how == signal.SIGINT else 40):
            time.sleep(0.05)
            try:
                kept = len(rows_of(weir, scratch / "k.db"))
            except RuntimeError:
                pass
        process.send_signal(how)
        process.communicate()
        checks.expect(f"ended by {how.name}", process.returncode != 0, str(process.returncode))
    answer = answer_of([*command[:-1], "--resume"])
    checks.expect("all runs, each once", all(cell["runs"] == 30 for cell in answer["cells"]), str(answer["cells"]))
    checks.equal("files afterwards", [path.name for path in storage.iterdir()], [])


def root_and_loop(checks):
    if os.geteuid() != 0 or not Path("/dev/loop-control").exists():
        checks.skip("testbed", "needs root and loop devices")
        return False
    return True


@contextlib.contextmanager
def in_memory(checks, what, room):
    """A directory whose files no disk sees, for devices that only this test writes to; None where there is no room for it."""
    memory = Path("/dev/shm")
    facts = os.statvfs(memory) if memory.is_dir() else None
    if facts is None or "tmpfs" not in run(["stat", "-f", "-c", "%T", memory]).stdout.decode():
        checks.skip(what, "no files in memory: /dev/shm is no tmpfs")
        yield None
    elif facts.f_bavail * facts.f_frsize < room:
        checks.skip(what, f"/dev/shm has less than {room >> 20} MiB")
        yield None
    else:
        with tempfile.TemporaryDirectory(prefix="weir-test-", dir=memory) as directory:
            yield Path(directory)


@contextlib.contextmanager
def own_place(scratch, room):
    """Where a command makes its testbed, and the words before it that say so: in memory where there is room, so that the disk of other
    tests has no say."""
    facts = os.statvfs("/dev/shm") if Path("/dev/shm").is_dir() else None
    parent = "/dev/shm" if facts and facts.f_bavail * facts.f_frsize >= room else scratch
    with tempfile.TemporaryDirectory(prefix="weir-test-", dir=parent, ignore_cleanup_errors=True) as place:
        yield Path(place), ["env", f"TMPDIR={place}"]


def beds(place):
    """Devices of testbeds under a directory."""
    lines = run(["losetup", "--list", "--noheadings", "--output", "NAME,BACK-FILE"]).stdout.decode().splitlines()
    return {line.split()[0] for line in lines if f"{place}/" in line}


def on_a_testbed(weir, examples, checks, scratch):
    if not root_and_loop(checks):
        return
    with own_place(scratch, 192 << 20) as (place, there):
        command = [*there, weir, "interfere", "matrix", "--testbed", "loop", "--patterns", "owc,aw", "--chunk", "64k", "--runs", 1,
                   "--room", "192M", "--rate", "64M", "--dirty", "4M", "--size", "32M", "--json", "--disturbed-too"]
        done = run(command)
        if done.returncode == 3:
            return checks.skip("testbed", done.stderr.decode().strip())
        if not checks.equal("exit code", (done.returncode, done.stderr.decode() if done.returncode else ""), (0, "")):
            return
        answer = json.loads(done.stdout)
        alone = {entry["probe"]: entry for entry in answer["alone"]}
        # 64 MiB at 64 MiB/s, of which 4 MiB may stay in memory and a burst of a slice may pass.
        checks.expect("writes are throttled", alone["aggregate_write"]["bytes_per_second"] < 100 << 20, str(alone))
        checks.expect("dirty pages are limited", alone["aggregate_write"]["cached_bytes"] <= 6 << 20, str(alone))
        checks.equal("no device is left", beds(place), set())
        # A run that is killed is tidied up by its guardian.
        process = subprocess.Popen([*map(str, command), "--runs", "1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not beds(place) and process.poll() is None:
            time.sleep(0.05)
        process.kill()
        process.wait()
        deadline = time.monotonic() + 60
        while beds(place) and time.monotonic() < deadline:
            time.sleep(0.1)
        checks.equal("no device is left after a kill", beds(place), set())


def leftovers_are_found(weir, examples, checks, scratch):
    if not root_and_loop(checks):
        return
    left = Path(run(["mktemp", "-d", "-t", "weir.XXXXXX"]).stdout.decode().strip()) / "testbed"
    up = run(["bash", SCRIPT, "up", left, 1, 32, 64, 4])
    if up.returncode == 3:
        return checks.skip("leftovers", up.stderr.decode().strip())
    (left / "owner").write_text("4194305\n")  # above the largest number of a process
    other = scratch / "weir.other" / "testbed"
    other.parent.mkdir()
    done = run(["bash", SCRIPT, "up", other, 1, 32, 64])
    checks.expect("the next one removes them", done.returncode == 0 and not left.exists(), done.stderr.decode())
    run(["bash", SCRIPT, "down", other])
    run(["bash", SCRIPT, "down", left])


TRAFFIC = "others moved"
MACHINE = ("some task waited for a processor", "the hypervisor took")  # of whoever else works here


def reasons_of(weir, store):
    """Why each run counts as disturbed: those that speak of traffic, and the others."""
    # A reason may have a limit behind a semicolon of its own.
    rows = [[reason for reason in re.split("; (?!limit )", row["reason"]) if reason] for row in rows_of(weir, store)]
    return ([[reason for reason in row if reason.startswith(TRAFFIC)] for row in rows],
            [reason for row in rows for reason in row if not reason.startswith(TRAFFIC)])


def others_are_seen(weir, examples, checks, scratch):
    """The positive control of the traffic rule: two campaigns on the same device at once.

    The device's image is in memory: no disk is beneath it that others write to, so that all of its traffic is this test's.
    """
    if not root_and_loop(checks):
        return
    with in_memory(checks, "control", 60 << 20) as memory:
        if memory is None:
            return
        bed = memory / "weir.control" / "testbed"
        bed.parent.mkdir()
        up = run(["bash", SCRIPT, "up", bed, 1, 56, 16, 4])
        if up.returncode == 3:
            return checks.skip("control", up.stderr.decode().strip())
        target, device = bed / "target-0", "disk:" + Path((bed / "devices").read_text().strip()).name
        other = None
        try:
            # 8 MiB a program, half a second at 16 MiB/s.
            command = [weir, "interfere", "matrix", "--dir", target, "--patterns", "owc", "--chunk", "256k", "--size", "4M", "--runs"]
            answer_of([*command, 2, "--db", scratch / "alone.db"])
            traffic, rest = reasons_of(weir, scratch / "alone.db")
            checks.equal("one campaign is not disturbed by its own traffic", traffic, [[]] * 4)
            checks.expect("nor by what is not the machine", all(reason.startswith(MACHINE) for reason in rest), str(rest))
            other = subprocess.Popen([*map(str, command), "1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not any(target.glob("weir-run.*")) and other.poll() is None:
                time.sleep(0.02)
            disturbed = answer_of([*command, 1, "--db", scratch / "beside.db"])
            traffic, rest = reasons_of(weir, scratch / "beside.db")
            checks.equal("every run beside another campaign is disturbed by its traffic, once", [len(row) for row in traffic], [1, 1])
            checks.expect("on this device", all(f" {device} (" in reason for row in traffic for reason in row), f"{device}: {traffic}")
            checks.expect("and by nothing else but the machine", all(reason.startswith(MACHINE) for reason in rest), str(rest))
            checks.expect("no number is made of them", all(cell["runs"] == 0 for cell in disturbed["cells"]), str(disturbed["cells"]))
        finally:
            if other is not None:
                other.send_signal(signal.SIGINT)
                other.wait()
            run(["bash", SCRIPT, "down", bed])


def balance(weir, examples, checks, scratch):
    targets = [scratch / f"t{i}" for i in range(3)]
    for target in targets:
        target.mkdir()
    listed = ",".join(map(str, targets))
    command = [weir, "interfere", "balance", "--targets", listed, "--processes", 6, "--size", "1M", "--chunk", "64k", "--runs", 3]
    answer = answer_of(command)
    checks.equal("schema", answer["schema"], "weir.interfere-balance/1")
    checks.equal("placements", [(entry["placement"], entry["runs"]) for entry in answer["placements"]], [("balanced", 3), ("random", 3)])
    for one in answer["runs"]:
        checks.equal("a time for each process", len(one["process_s"]), 6)
        checks.expect("all bytes on the targets", abs(sum(map(sum, one["written_bytes"])) - (6 << 20)) < 1, str(one["written_bytes"]))
        if one["placement"] == "balanced":
            checks.equal("as many on each", [one["target_of"].count(i) for i in range(3)], [2, 2, 2])
    checks.equal("files afterwards", [path for target in targets for path in target.iterdir()], [])
    checks.expect("a table", b"balanced" in run(command).stdout)
    for arguments, code, text in [
        ([], 2, "no targets"),
        (["--targets", targets[0]], 2, "always balanced"),
        (["--targets", f"{targets[0]},{scratch / 'nowhere'}"], 2, "is no directory"),
        (["--targets", listed, "--testbed", "loop"], 2, "exclude"),
        (["--targets", listed, "--placement", "worst"], 2, "no placement"),
        (["--targets", listed, "--size", "1k", "--chunk", "1M"], 2, "--size"),
        (["--storage", scratch / "nowhere"], 2, "nowhere"),
        (["--storage", scratch], 2, ""),
    ]:
        done = run([weir, "interfere", "balance", *arguments])
        checks.equal("balance " + " ".join(map(str, arguments)), (done.returncode, text in done.stderr.decode()), (code, True))


def balance_on_a_testbed(weir, examples, checks, scratch):
    """All files on one of two targets against one on each: the storage's own counters tell."""
    if not root_and_loop(checks):
        return
    with own_place(scratch, 128 << 20) as (_, there):
        done = run([*there, weir, "interfere", "balance", "--testbed", "loop", "--count", 4, "--processes", 4, "--size", "16M", "--rate",
                    "16M", "--dirty", "2M", "--runs", 3, "--json", "--disturbed-too"])
    if done.returncode == 3:
        return checks.skip("testbed", done.stderr.decode().strip())
    if not checks.equal("exit code", said(done)[0], 0):
        return
    answer = json.loads(done.stdout)
    checks.expect("the storage is seen", all(one["seen_by"] == "storage" for one in answer["runs"]))
    for one in answer["runs"]:
        on = [one["target_of"].count(i) for i in range(4)]
        seen = [sum(written) for written in one["written_bytes"]]
        checks.expect("every target has its files' bytes", all(abs(bytes_ / (16 << 20) - files) < 0.3 for bytes_, files in zip(seen, on)),
                      f"{on} {seen}")
        # Four files on three targets or fewer: one target works twice as long as some other.
        if 1 < max(on) and 1 in on and one["placement"] == "random":
            late = [target["name"] for target in one["targets"] if target["end_s"] == max(t["end_s"] for t in one["targets"])]
            checks.expect("the fullest target is the last", any(name.endswith(f"target-{on.index(max(on))}") or on.count(max(on)) > 1
                                                                for name in late), f"{on} {late}")
    by = {entry["placement"]: entry for entry in answer["placements"]}
    checks.expect("a balanced placement is faster", by["balanced"]["runtime_s"] < by["random"]["runtime_s"], str(by))
    # The same from slices that were kept while a program wrote to two targets.
    bed = scratch / "weir.kept" / "testbed"
    bed.parent.mkdir()
    if run(["bash", SCRIPT, "up", bed, 2, 64, 16, 2]).returncode != 0:
        return
    try:
        script = f"dd if=/dev/zero of={bed}/target-0/f bs=1M count=8 conv=fsync & dd if=/dev/zero of={bed}/target-1/f bs=1M count=24 conv=fsync; wait"
        kept = run([weir, "interfere", "slices", "--out", scratch / "kept", "--slice", "100ms", "--dir",
                    f"{bed}/target-0,{bed}/target-1", "--", "sh", "-c", script])
        checks.equal("slices of two targets", said(kept)[0], 0)
        seen = answer_of([weir, "interfere", "balance", "--storage", scratch / "kept"])
        checks.equal("targets", len(seen["targets"]), 2)
        checks.expect("the tail", seen["tail_share"] > 0.2 and seen["imbalance_percent"] > 20, str(seen["targets"]))
    finally:
        run(["bash", SCRIPT, "down", bed])


MAPS = """
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
  for (int i = 0; i < 40; ++i) {
    char name[16];
    snprintf(name, sizeof name, "m%d", i);
    int fd = open(name, O_CREAT | O_RDWR, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0) return 1;
    char* page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) return 1;
    strcpy(page, "hello");
    munmap(page, 4096);
    close(fd);
    usleep(10000);
  }
  return 0;
}
"""


def files_of_commands(weir, examples, checks, scratch):
    """Files closed stand for bytes: the command maps its files, and no write call is seen."""
    storage = storage_of(scratch)
    source = scratch / "maps.c"
    source.write_text(MAPS)
    program = built(checks, scratch, source)
    if not program:
        return
    answer = answer_of([weir, "interfere", "sweep", "--dir", storage, "--probe", "maps", "--signal", "aw", "--chunk", "64k", "--size",
                        "640k", "--runs", 1, "--no-monitors", "--count-files", "--command", f"maps={program}"])
    cell = next(cell for cell in answer["cells"] if cell["probe"] == "maps")
    checks.expect("a rate of files", cell["file_close_degradation_percent"] is not None and cell["degradation_percent"] is not None, str(cell))
    alone = next(entry for entry in answer["alone"] if entry["probe"] == "maps")
    checks.equal("its files are its work", alone["bytes"], 40)


def without_root(weir, examples, checks, scratch):
    if os.geteuid() != 0:
        done = run([weir, "interfere", "matrix", "--testbed", "loop"])
    else:
        os.chmod(scratch, 0o755)
        done = subprocess.run([str(weir), "interfere", "matrix", "--testbed", "loop"], capture_output=True, user=65534, group=65534,
                              cwd="/", env={**os.environ, "TMPDIR": "/tmp"}, extra_groups=[])
        if done.returncode == 126 or b"Permission denied" in done.stderr:
            return checks.skip("without root", "nobody may not run it here")
    checks.equal("exit code and reason", (done.returncode, b"need root" in done.stderr), (3, True))


WRITER = """
import os, sys
directory, pattern, chunk, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
data = b"x" * chunk
if pattern != "open_write_close":
    fd = os.open(directory + "/one", os.O_CREAT | os.O_WRONLY)
for i in range(count):
    if pattern == "open_write_close":
        fd = os.open(f"{directory}/file.{i}", os.O_CREAT | os.O_WRONLY)
    if pattern == "write_seek":
        os.lseek(fd, 0, os.SEEK_SET)
    os.write(fd, data)
    if pattern != "aggregate_write":
        os.fsync(fd)
    if pattern == "open_write_close":
        os.close(fd)
"""


PATTERNS = ("open_write_close", "write_seek", "aggregate_write")
CHUNKS = (4 << 10, 64 << 10, 1 << 20, 16 << 20)


def counted_and_traced(weir, checks, scratch, what, command, under, **how):
    """The class of a program from its trace (files under a directory) and from its slices (all files), each of its own run."""
    traced = run([weir, "trace", "--out", scratch / f"{what}.trace", "--", *command], **how)
    if not checks.equal(f"{what} is traced", said(traced)[0], 0):
        return None, None
    counted = run([weir, "interfere", "slices", "--out", scratch / f"{what}.slices", "--slice", "100ms", "--", *command], **how)
    if not checks.equal(f"{what} is counted", said(counted)[0], 0):
        return None, None
    return (answer_of([weir, "interfere", "classify", scratch / f"{what}.trace", "--under", under])["class"],
            answer_of([weir, "interfere", "classify", scratch / f"{what}.slices"])["class"])


def classes(weir, examples, checks, scratch):
    writer = scratch / "writer.py"
    writer.write_text(WRITER)
    for pattern in PATTERNS:
        for chunk in CHUNKS:
            storage = scratch / f"{pattern}.{chunk}"
            storage.mkdir()
            traced, counted = counted_and_traced(weir, checks, scratch, f"{pattern} of {chunk}",
                                                 [sys.executable, "-S", writer, storage, pattern, chunk, 8], storage)
            for how, found in (("a trace", traced), ("slices", counted)):
                if found is None:
                    continue
                checks.equal(f"{pattern} of {chunk} from {how}", (found["pattern"], found["chunk_bytes"]), (pattern, chunk))
                checks.equal(f"{pattern} of {chunk} from {how}: files", found["files"], 8 if pattern == "open_write_close" else 1)
                checks.equal(f"{pattern} of {chunk} from {how}: flushed", found["flushed_share"], 0 if pattern == "aggregate_write" else 1)
            run(["rm", "-rf", storage])
    refused = run([weir, "interfere", "classify", scratch / "write_seek of 4096.slices", "--under", scratch])
    checks.equal("names of files are not in slices", (refused.returncode, b"--under" in refused.stderr), (2, True))


GRID = """
name = "one"
runs = 1
[factors]
mode = ["{mode}"]
[fixed]
workers = "processes"
count = 2
record_size = "{chunk}"
file_size = "{size}"
sync = "{sync}"
sync_at_end = false
"""


def classes_of_workloads(weir, examples, checks, scratch):
    """The workload room's own patterns, in the processes of `weir bench run`."""
    storage = storage_of(scratch)
    for pattern in PATTERNS:
        for chunk in CHUNKS:
            grid = scratch / "grid.toml"
            grid.write_text(GRID.format(mode=pattern, chunk=chunk, size=6 * chunk, sync="none" if pattern == "aggregate_write" else "fsync"))
            bench = [weir, "bench", "run", "--grid", grid, "--dir", storage, "--no-monitors", "--db"]
            for how, command in (("trace", ["trace"]), ("slices", ["interfere", "slices", "--slice", "100ms"])):
                kept = scratch / f"{pattern}.{chunk}.{how}"
                done = run([weir, *command, "--out", kept, "--", *bench, scratch / f"{pattern}.{chunk}.{how}.db"])
                if not checks.equal(f"{pattern} of {chunk}, {how}", said(done)[0], 0):
                    continue
                under = ["--under", storage] if how == "trace" else []
                found = answer_of([weir, "interfere", "classify", kept, *under])["class"]
                # Slices see the store too, which a run of few bytes has more of than of its own.
                if how == "slices" and chunk < 1 << 20:
                    continue
                checks.equal(f"{pattern} of {chunk} from {how}", found["pattern"], pattern)
                checks.expect(f"{pattern} of {chunk} from {how}: chunk", 1 / 1.5 <= found["chunk_bytes"] / chunk <= 1.5,
                              str(found["chunk_bytes"]))


def built(checks, scratch, source, compiler="cc"):
    program = scratch / source.stem
    done = run([compiler, "-O2", "-o", program, source])
    return program if checks.equal(f"{source.name} compiles", said(done)[0], 0) else None


def applications(weir, examples, checks, scratch):
    """Programs of every pattern: the two small ones; tar; LAMMPS, sqlite and OpenFOAM where they are."""
    sources = examples / "interference"

    def check(name, command, pattern, low, high, **how):
        storage = scratch / name
        if not storage.exists():
            storage.mkdir()
        both = counted_and_traced(weir, checks, scratch, name, command, storage, **how)
        for found, by in zip(both, ("a trace", "slices")):
            if found is not None:
                checks.equal(f"{name} from {by}", found["pattern"], pattern)
                checks.expect(f"{name} from {by}: chunk", low / 1.5 <= found["chunk_bytes"] <= 1.5 * high, str(found["chunk_bytes"]))

    hacc, madbench = built(checks, scratch, sources / "hacc_io.c"), built(checks, scratch, sources / "madbench2.c")
    if hacc:
        (scratch / "hacc").mkdir()
        check("hacc", [hacc, scratch / "hacc", 2, 100_000, 2], "aggregate_write", 400_000, 400_000)
    if madbench:
        (scratch / "madbench").mkdir()
        check("madbench", [madbench, scratch / "madbench", 2, 500_000, 12], "write_seek", 500_000, 500_000)
    if shutil.which("lmp"):
        storage = scratch / "lammps"
        storage.mkdir()
        long = ["-var", "steps", 200, "-var", "side", 10] if os.environ.get("WEIR_LONG_TESTS") != "1" else []
        command = ["lmp", "-log", "none", "-in", sources / "in.checkpoints", *long]
        checks.equal("LAMMPS runs", run(command, cwd=storage).returncode, 0)
        restart = (storage / "restart.20").stat().st_size  # each is opened, written and closed
        check("lammps", command, "open_write_close", restart, restart, cwd=storage)
    else:
        checks.skip("LAMMPS", "no lmp; Debian's lammps has it")
    if shutil.which("sqlite3"):
        # Without a journal a transaction writes the pages it changed, each at its place: that of the row, and the first.
        updates = "".join(f"UPDATE t SET b = randomblob(9000) WHERE k = {1 + 71 * i % 199};" for i in range(400))
        script = ("PRAGMA page_size = 16384; PRAGMA journal_mode = off; CREATE TABLE t(k INTEGER PRIMARY KEY, b BLOB);"
                  "INSERT INTO t SELECT value, zeroblob(9000) FROM generate_series(1, 200);" + updates)
        (scratch / "sqlite").mkdir()
        check("sqlite", ["sh", "-c", 'rm -f db && exec sqlite3 db "$0"', script], "write_seek", 16_384, 16_384, cwd=scratch / "sqlite")
    else:
        checks.skip("sqlite", "no sqlite3")
    (scratch / "input").write_bytes(bytes(5_000_000))
    # tar writes records of 20 blocks of 512 bytes, as POSIX has it.
    check("tar", ["tar", "-C", scratch, "-cf", scratch / "tar" / "out.tar", "input"], "aggregate_write", 10_240, 10_240)
    if shutil.which("icoFoam"):
        case = scratch / "cavity"
        shutil.copytree(sources / "cavity", case)
        checks.equal("blockMesh", run(["blockMesh"], cwd=case).returncode, 0)
        check("cavity", ["icoFoam"], "open_write_close", 17_000, 41_000, cwd=case)
    else:
        checks.skip("OpenFOAM", "no icoFoam; Debian's openfoam has it")


MPI_WRITER = """
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double* data = malloc(1 << 20);
  memset(data, 1, 1 << 20);
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS) return 1;
  for (int i = 0; i < atoi(argv[2]); ++i)
    MPI_File_write_at(file, (MPI_Offset)(4 * rank + i) << 20, data, 1 << 17, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
"""


MPI_DIFFERS = 4096  # bytes; messages of launchers hold numbers of processes


def slices_of_mpi(weir, examples, checks, scratch):
    found = [mpi for mpi in ("openmpi", "mpich") if shutil.which(f"mpicc.{mpi}") and shutil.which(f"mpirun.{mpi}")]
    if not found:
        checks.skip("MPI", "no mpicc.openmpi or mpicc.mpich")
    source = scratch / "writer.c"
    source.write_text(MPI_WRITER)
    for mpi in found:
        program = built(checks, scratch, source, f"mpicc.{mpi}")
        if not program:
            continue
        flags = ["--allow-run-as-root", "--oversubscribe"] if mpi == "openmpi" else []
        answers = []
        for writes in (0, 4):
            done = run([weir, "interfere", "slices", "--out", scratch / f"{mpi}.{writes}", "--json", "--", f"mpirun.{mpi}", *flags, "-n", 2,
                        program, scratch / f"{mpi}.out", writes])
            if checks.equal(f"{mpi}: exit code", said(done)[0], 0):
                answers.append(json.loads(done.stdout))
        if len(answers) < 2:
            continue
        bare, answer = answers
        layer = answer["program"]["mpiio"]
        if not checks.expect(f"{mpi}: a layer of MPI-IO", layer is not None, str(answer["program"]["processes"])):
            continue
        total = {operation: tuple(sum(layer[operation][what]) for what in ("calls", "bytes")) for operation in layer}
        checks.equal(f"{mpi}: calls and bytes", total, {"open": (2, 0), "write": (8, 8 << 20), "sync": (2, 0), "close": (2, 0)})
        # What the library writes for itself (files of shared memory, its launcher's notes) it writes without the program's data too.
        of_mpi, written = counted(bare, "write", "bytes"), counted(answer, "write", "bytes")
        checks.expect(f"{mpi}: the same bytes below, and no others", abs(written - of_mpi - (8 << 20)) <= MPI_DIFFERS, f"{written} {of_mpi}")


SPAWNER = """
import os, sys, time
def write(name, count):
    fd = os.open(name, os.O_CREAT | os.O_WRONLY)
    for i in range(count):
        os.write(fd, b"x" * 1000)
    os.close(fd)
write(sys.argv[1] + "/parent", 100)
if os.fork() == 0:
    write(sys.argv[1] + "/child", 50)
    os._exit(0)
os.wait()
if len(sys.argv) > 2:
    print("ready", flush=True)
    time.sleep(600)
"""


def counted(answer, operation, what):
    return sum(answer["program"][operation][what])


def slices(weir, examples, checks, scratch):
    storage = storage_of(scratch)
    program = scratch / "spawner.py"
    program.write_text(SPAWNER)
    done = run([weir, "interfere", "slices", "--out", scratch / "a", "--slice", "50ms", "--dir", storage, "--json", "--",
                sys.executable, "-S", program, storage])
    if not checks.equal("exit code", said(done)[0], 0):
        return
    answer = json.loads(done.stdout)
    checks.equal("bytes of parent and child", counted(answer, "write", "bytes"), 150_000)
    checks.equal("calls", counted(answer, "write", "calls"), 150)
    checks.expect("a file for each process", answer["program"]["processes"] >= 2, str(answer["program"]["processes"]))
    checks.expect("slices begin at multiples", all(begin % 50_000_000 == 0 for begin in answer["program"]["begin_ns"]))
    checks.expect("the storage's slices", (scratch / "a" / "storage.json").exists())
    failing = run([weir, "interfere", "slices", "--out", scratch / "f", "--", "sh", "-c", "exit 5"])
    checks.equal("the program's status", failing.returncode, 5)
    again = run([weir, "interfere", "slices", "--out", scratch / "a", "--", "true"])
    checks.equal("a directory that is used", (again.returncode, b"--out" in again.stderr), (2, True))
    # Killed with what it started: its slices are there.
    process = subprocess.Popen([str(weir), "interfere", "slices", "--out", str(scratch / "k"), "--", sys.executable, "-S",
                                str(program), str(storage), "wait"], stdout=subprocess.PIPE, start_new_session=True)
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    joined = run([weir, "interfere", "slices", "--join", scratch / "k", scratch / "k", "--json"])
    checks.equal("a killed program's slices are read", (joined.returncode, b"too few to compare" in joined.stderr), (2, True))


BUSY = """
import os, sys, time
name, seconds, period, duty, pause = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5])
fd = os.open(name, os.O_CREAT | os.O_WRONLY)
end = time.time() + seconds
other = sys.argv[6] if len(sys.argv) > 6 else None
while time.time() < end:
    if time.time() % period < duty * period:
        os.pwrite(fd, b"x" * 4096, 0)
        # The probe looks at the clock as the signal does: its dents are known beforehand.
        time.sleep(pause * (10 if other and time.time() % float(other) < 0.5 * float(other) else 1))
    else:
        time.sleep(0.005)
"""


def joined_slices(weir, examples, checks, scratch):
    """A probe that is slow in the first half of every 0.8 s beside a signal that is active then."""
    program = scratch / "busy.py"
    program.write_text(BUSY)
    for name in ("p", "s"):
        (scratch / name).mkdir()
    probe = subprocess.Popen([str(weir), "interfere", "slices", "--out", str(scratch / "probe"), "--slice", "100ms", "--",
                              sys.executable, "-S", str(program), str(scratch / "p" / "f"), "8", "1", "1", "0.001", "0.8"])
    signal_ = run([weir, "interfere", "slices", "--out", scratch / "signal", "--slice", "100ms", "--", sys.executable, "-S", program,
                   scratch / "s" / "f", "8", "0.8", "0.5", "0.001"])
    checks.equal("both ended well", (probe.wait(), signal_.returncode), (0, 0))
    answer = answer_of([weir, "interfere", "slices", "--join", scratch / "probe", scratch / "signal"])
    checks.expect("the probe loses in active slices", answer["degradation_percent"] > 40, str(answer["degradation_percent"]))
    checks.expect("most dents are in step", answer["dents_in_step"] * 10 >= len(answer["dents"]) * 6 and answer["dents"],
                  f'{answer["dents_in_step"]} of {len(answer["dents"])}')


def by_hand(rows, cell):
    """A cell's loss in percent, with its interval and the best of five, from the rows of the store."""
    def rates(probe, signal, chunk, signal_chunk):
        wanted = [row for row in rows if (row["probe"], row["signal"], int(row["chunk_bytes"]), int(row["signal_chunk_bytes"])) ==
                  (probe, signal, chunk, signal_chunk)]
        return [float(row["throughput_together_bytes_per_s"]) for row in sorted(wanted, key=lambda row: int(row["repeat"]))]

    def ends(values):  # of an interval of the median with 97.5 % for each of the two: ranks by the binomial distribution
        n, below, rank = len(values), 0.0, 0
        while below + math.comb(n, rank) / 2**n < 0.0125:
            below += math.comb(n, rank) / 2**n
            rank += 1
        return sorted(values)[rank - 1], sorted(values)[n - rank]

    alone = rates(cell["probe"], "none", cell["chunk_bytes"], 0)
    beside = rates(cell["probe"], cell["signal"], cell["chunk_bytes"], cell["signal_chunk_bytes"])
    (slow, fast), (slow_beside, fast_beside) = ends(alone), ends(beside)
    return [100 * (1 - b / a) for b, a in ((statistics.median(beside), statistics.median(alone)), (fast_beside, slow), (slow_beside, fast),
                                           (max(beside[:5]), max(alone[:5])))]


def advice(weir, examples, checks, scratch):
    storage = storage_of(scratch)
    matrix = answer_of([weir, "interfere", "matrix", "--dir", storage, "--chunk", "16k,64k", "--runs", 9, "--size", "320k", "--db",
                        scratch / "m.db", "--no-monitors"])
    rows = rows_of(weir, scratch / "m.db")
    for cell in matrix["cells"]:
        told = [cell[field] for field in ("degradation_percent", "low", "high", "best_of_five_percent")]
        checks.expect(f'{cell["probe"]} beside {cell["signal"]} of {cell["chunk_bytes"]} as computed by hand',
                      all(math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-3) for a, b in zip(told, by_hand(rows, cell))),
                      f"{told} {by_hand(rows, cell)}")
    programs = [word for text in ("a=owc:16k", "b=ws:32k", "c=aw:16k", "d=aw:64k:25%") for word in ("--program", text)]
    answer = answer_of([weir, "interfere", "advise", "--matrix", scratch / "m.db", *programs])
    checks.equal("pairs", len(answer["pairs"]), 6)
    checks.equal("two together, two apart", (sum(pair["together"] for pair in answer["pairs"]),
                                             sum(pair["worst"] for pair in answer["pairs"])), (2, 2))
    checks.expect("sorted", [pair["slowdown"] for pair in answer["pairs"]] == sorted(pair["slowdown"] for pair in answer["pairs"]))
    checks.expect("the advised division is the better one", answer["slowdown_together"] <= answer["slowdown_worst"])
    checks.expect("intervals", all(pair[side]["low"] <= pair[side]["degradation_percent"] <= pair[side]["high"]
                                   for pair in answer["pairs"] for side in ("first_loss", "second_loss")), str(answer["pairs"]))


if __name__ == "__main__":
    sys.exit(run_parts(__doc__, [on_a_directory, matrix_with_a_command, sweeps_with_a_command, bad_input, killed_and_resumed, on_a_testbed,
                                 leftovers_are_found, others_are_seen, without_root, classes,
                                 classes_of_workloads, applications, slices, slices_of_mpi, joined_slices, advice, balance,
                                 balance_on_a_testbed, files_of_commands]))
