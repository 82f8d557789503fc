"""`weir interfere slices` and `classify`: programs counted in slices of time, joined with those of others, and the write pattern
of programs that were counted or traced.
"""
import json
import os
import shutil
import signal
import subprocess
import sys

from common import answer_of, built, run, run_parts, said, storage_of


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


if __name__ == "__main__":
    sys.exit(run_parts(__doc__, [classes, classes_of_workloads, applications, slices, slices_of_mpi, joined_slices]))
