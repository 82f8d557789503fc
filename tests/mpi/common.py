"""What the drivers of MPI tests share: building programs with an installed MPI, running and tracing them."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from checks import Checks, run, scratch_directory  # noqa: E402, F401

PROGRAMS = HERE / "programs"
LONG = os.environ.get("WEIR_LONG_TESTS") == "1"


class Mpi:
    """One installed MPI."""

    def __init__(self, name):
        self.name = name
        self.compiler = f"mpicc.{name}"
        self.fortran = f"mpifort.{name}"
        self.launcher = [f"mpirun.{name}"] + (["--oversubscribe"] if name == "openmpi" else [])

    def start(self, ranks, program, *arguments):
        return [*self.launcher, "-n", str(ranks), str(program), *map(str, arguments)]

    def build(self, name, directory, *options, suffix=""):
        source = next(PROGRAMS.glob(f"{name}.*"))
        compiler = self.compiler if source.suffix == ".c" else self.fortran
        program = Path(directory) / f"{name}.{self.name}{suffix}"
        subprocess.run([compiler, "-O1", "-w", *(["-std=legacy"] if source.suffix == ".f" else []), *options, "-o", program, source, "-lm", "-lpthread"],
                       check=True, cwd=directory)
        return program


def installed():
    """The MPIs that are there. Both libraries spin while they wait, which many ranks on few cores must not. Windows of
    Open MPI 4.1 on one machine need another component than the one it would choose."""
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1",
                      OMPI_MCA_btl="self,vader", OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_osc="^rdma",
                      OMPI_MCA_rmaps_base_oversubscribe="1", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")
    return [Mpi(name) for name in ("openmpi", "mpich") if shutil.which(f"mpicc.{name}") and shutil.which(f"mpirun.{name}")]


def trace(weir, directory, command, *options, **keywords):
    return run([weir, "trace", "--out", directory, *options, "--", *command], **keywords)


def stat(weir, directory):
    return json.loads(run([weir, "stat", directory, "--json"], check=True).stdout)


def calls_only(facts):
    """Bytes of what the ranks did: without times and without the table of processes."""
    return facts["trace_bytes"] - facts["timing_bytes"] - facts["process_bytes"]


def tables_only(facts):
    """Of these what does not tell of the run itself (its command line, its clock, digits of its counts): the same for the same
    calls, to the byte."""
    return sum(size for name, size in facts["section_bytes"].items() if name not in ("FACT", "PROC", "COMM", "TIME"))
