"""`weir interfere` as a whole: matrices on a directory and on a testbed, kept, resumed and shown again; what it leaves behind;
runs that others disturb; advice.
"""
import contextlib
import csv
import json
import math
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import answer_of, built, rows_of, run, run_parts, said, storage_of

SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts" / "testbed"
FIXED = ["probe", "signal", "chunk_bytes", "degradation_percent", "low", "high", "best_of_five_percent"]


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
                                 leftovers_are_found, others_are_seen, without_root, advice, balance,
                                 balance_on_a_testbed, files_of_commands]))
