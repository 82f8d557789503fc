"""What the drivers of tests/proxy share: a program is traced, its proxy compiled, run and traced, the two compared."""
import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mpi"))
sys.path.insert(0, str(HERE.parent / "support"))
from checks import SKIPPED, Checks, run, scratch_directory  # noqa: E402, F401


def trace(weir, out, command, **keywords):
    return run([weir, "trace", "--out", out, "--", *command], **keywords)


def text_of(done):
    return (done.stdout + done.stderr).decode(errors="replace")[-3000:]


def compile_program(command, compiler):
    """By the command that `weir proxy` told, with the compiler of one MPI where there are several."""
    _, _, arguments = command.partition(" ")
    done = run(["sh", "-c", f"{compiler} -w {arguments}"])
    return None if done.returncode == 0 else text_of(done)


class Case:
    """One program, from its trace to the comparison; each step is a check."""

    def __init__(self, checks, weir, scratch, name, launcher=(), compiler="c++"):
        self.checks, self.weir, self.scratch, self.name = checks, weir, Path(scratch), name
        self.launcher, self.compiler = [str(word) for word in launcher], compiler
        self.package = "hdf5-mpi"  # which HDF5 of several
        self.trace_of_program = self.scratch / f"{name}.trace"
        self.source = self.scratch / f"{name}.proxy.cpp"
        self.program = self.scratch / f"{name}.proxy"

    def record(self, command, directory, status=0):
        done = trace(self.weir, self.trace_of_program, [*self.launcher, *command], cwd=directory)
        return self.checks.expect(f"{self.name}: is traced", done.returncode == status, text_of(done))

    def make(self):
        done = run([self.weir, "proxy", self.trace_of_program, "--out", self.source, "--json"])
        if not self.checks.expect(f"{self.name}: proxy is written", done.returncode == 0, text_of(done)):
            return None
        self.about = json.loads(done.stdout)
        failed = compile_program(self.about["compile"].replace("hdf5-mpi ", f"{self.package} "), self.compiler)
        return self.about if self.checks.expect(f"{self.name}: compiles", failed is None, failed) else None

    def compare(self):
        """The proxy is run and traced, and does the same."""
        return self.same_when_traced("again", [*self.launcher, self.program, "--root", self.scratch / f"{self.name}.root"])

    def same_when_traced(self, what, command):
        again = self.scratch / f"{self.name}.{what}"
        done = trace(self.weir, again, command, cwd=self.scratch)
        if not self.checks.expect(f"{self.name}, {what}: every call ended as recorded", done.returncode == 0, text_of(done)):
            return None
        done = run([self.weir, "proxy", self.trace_of_program, "--verify", again, "--json"])
        result = json.loads(done.stdout) if done.stdout else {}
        self.checks.expect(f"{self.name}, {what}: the same calls in the same order", done.returncode == 0,
                           json.dumps(result.get("differences", []))[:3000] or text_of(done))
        self.checks.expect(f"{self.name}, {what}: all of them", result.get("calls", 0) > 0 and result.get("differing") == 0, result)
        print(f"{self.name}, {what}: {result.get('calls')} calls, {self.about['source_bytes']} bytes of source, "
              f"{self.about['trace_bytes']} bytes of trace, {result.get('other_outcomes')} other outcomes", flush=True)
        return result

    def replay(self):
        """The same without a compiler. Ranks are started by weir, and once more by their launcher and traced."""
        root = self.scratch / f"{self.name}.replayed"
        launcher = ["--launcher", " ".join(self.launcher[:-2])] if self.launcher else []
        done = run([self.weir, "replay", self.trace_of_program, "--root", root, *launcher], cwd=self.scratch)
        self.checks.expect(f"{self.name}: replayed, every call ended as recorded", done.returncode == 0, text_of(done))
        if self.launcher:
            self.same_when_traced("replayed and traced", [*self.launcher, self.weir, "replay", self.trace_of_program, "--root", f"{root}.traced"])

    def whole(self, command, directory, status=0):
        return self.record(command, directory, status) and self.make() is not None and self.compare() is not None


def build(source, program, compiler="cc"):
    subprocess.run([compiler, "-D_GNU_SOURCE", "-O1", "-w", "-o", program, source, "-pthread", "-lm"], check=True)
    return program


def find(name):
    return shutil.which(name)
