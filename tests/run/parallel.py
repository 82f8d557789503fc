"""MPI programs on the burst-buffer file system, four ranks: the same bytes as without it, under posix and what `weir check` allows."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import Checks, Directory, scratch_directory  # noqa: E402
from programs import both_ways  # noqa: E402

LAMMPS = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
dump 1 all atom 20 ${dir}/dump.lammpstrj
dump 2 all custom 20 ${dir}/d.*.txt id x y z vx
dump_modify 1 sort id
dump_modify 2 sort id
restart 20 ${dir}/restart.*
run 40
write_data ${dir}/final.data
clear
read_restart ${dir}/restart.40
pair_style lj/cut 2.5
pair_coeff * * 1.0 1.0 2.5
fix 1 all nve
run 10
write_data ${dir}/after.data
"""


def launcher():
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    found = shutil.which("mpirun.openmpi")
    return [found, "--oversubscribe", "-n", "4"] if found else None


def build(checks, scratch, source, name, compiler, flags=()):
    program = Path(scratch) / name
    if not shutil.which(compiler):
        checks.skip(name, f"no {compiler}")
        return None
    done = subprocess.run([compiler, "-O1", "-o", program, source, *flags], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        checks.skip(name, done.stderr.splitlines()[0] if done.stderr else "does not compile")
        return None
    return program


def hdf5_flags(mpi):
    asked = subprocess.run(["pkg-config", "--cflags", "--libs", f"hdf5-{mpi}"], capture_output=True, text=True, check=False)
    return asked.stdout.split() if asked.returncode == 0 else None


def enough(checks, weir, what, command):
    """posix, and of commit and session what `weir check` finds enough for the command, with {} for its directory."""
    with Directory(weir) as there:
        folder = there.scratch / "trace"
        words = [weir, "trace", "--out", folder, "--include", there.path, "--", *command]
        traced = subprocess.run([str(word).replace("{}", str(there.path)) for word in words], capture_output=True, text=True,
                                stdin=subprocess.DEVNULL, timeout=600, check=False)
        checked = subprocess.run([weir, "check", folder, "--json"], capture_output=True, text=True, timeout=600, check=False)
        if not checks.equal(f"{what}: trace and check", (traced.returncode, checked.returncode in (0, 1)), (0, True)):
            return ["posix"]
        found = {model["name"]: model for model in json.loads(checked.stdout)["models"]}
    for model in ("commit", "session"):
        if not found[model]["sufficient"]:
            checks.skip(f"{what} under {model}", f"not enough for it: {found[model]['conflicts']}")
    return ["posix", *(model for model in ("commit", "session") if found[model]["sufficient"])]


def same_data(checks, name, plain, burst):
    """What HDF5 reads of both files, beside their bytes."""
    if not shutil.which("h5diff"):
        return checks.skip(f"{name}: h5diff", "not installed")
    done = subprocess.run(["h5diff", "-v", plain / "data.h5", burst / "data.h5"], capture_output=True, text=True, check=False)
    found = [line for line in done.stdout.splitlines() if line.startswith("dataset:")]
    return checks.equal(f"{name}: h5diff", (done.returncode, len(found)), (0, 2))


def as_checked(checks, weir, what, command, wanted=("posix", "commit", "session"), compare=None):
    """Both ways under what `weir check` allows, and that is what was `wanted`."""
    models = enough(checks, weir, what, command)
    checks.equal(f"{what}: what is enough", models, list(wanted))
    for consistency in models:
        both_ways(checks, weir, what, command, consistency, compare=compare)


def hdf5(checks, weir, maker, words, program):
    """OMPIO lets one rank fill everybody's chunks with zeros: whoever closes last would win. ROMIO's ranks fill their own."""
    command = [*words, program, "{}/data.h5"]
    weak = {"wanted": ("posix",)} if maker == "OMPIO" else {}
    as_checked(checks, weir, f"parallel HDF5 with {maker}", command, compare=same_data, **weak)
    as_checked(checks, weir, f"parallel HDF5, unfilled, with {maker}", [*command, "unfilled"], compare=same_data)


def mpiio(checks, weir, scratch, root, start):
    """Every MPI-IO there is: OMPIO and ROMIO of Open MPI, ROMIO of MPICH."""
    romio = [start[0], "--mca", "io", "^ompio", *start[1:]]
    mpich = shutil.which("mpirun.mpich")
    makers = [("OMPIO", "openmpi", start), ("ROMIO of Open MPI", "openmpi", romio)]
    makers += [("MPICH", "mpich", [mpich, "-n", "4"])] if mpich else []
    for name, mpi, words in makers:
        flags = hdf5_flags(mpi)
        program = build(checks, scratch, root / "parallel_hdf5.c", f"parallel_hdf5_{mpi}", f"mpicc.{mpi}", flags) if flags else None
        if program:
            hdf5(checks, weir, name, words, program)
        if mpi == "mpich":  # PnetCDF is Open MPI's here
            program = build(checks, scratch, root.parent.parent / "examples" / "checkpoint.c", "checkpoint_mpich", "mpicc.mpich")
            for layout in ("own", "strided") if program else ():
                both_ways(checks, weir, f"checkpoint {layout} with {name}",
                          ["sh", "-c", '"$@" > /dev/null', "sh", *words, program, "{}", "-l", layout, "-c", 20, "-s", 2], "session")
            continue
        program = build(checks, scratch, root / "parallel_pnetcdf.c", "parallel_pnetcdf", "mpicc.openmpi", ["-lpnetcdf"])
        if program:
            as_checked(checks, weir, f"PnetCDF with {name}", [*words, program, "{}/data.nc"])


def main():
    weir, root = sys.argv[1], Path(__file__).resolve().parent
    checks = Checks()
    start = launcher()
    if start is None:
        checks.skip("all", "no Open MPI")
        return checks.exit_code()
    with scratch_directory() as scratch:
        program = build(checks, scratch, root.parent.parent / "examples" / "checkpoint.c", "checkpoint", "mpicc.openmpi")
        for layout in ("own", "contiguous", "strided") if program else ():
            for consistency in ("posix", "commit", "session"):
                both_ways(checks, weir, f"checkpoint {layout}",
                          ["sh", "-c", '"$@" > /dev/null', "sh", *start, program, "{}", "-l", layout, "-c", 20, "-s", 2],
                          consistency)
        if program:  # starts again from the buffer: nothing was flushed in between
            with Directory(weir) as there:
                first = there.run([*start, program, there.path, "-c", 20], "--keep", consistency="session")
                empty = [name for name in os.listdir(there.path) if name.startswith("step")]
                again = there.run([*start, program, there.path, "-c", 20, "-r"], consistency="session")
                checks.equal("restart from the buffer", (first.returncode, empty, again.returncode), (0, [], 0))
        mpiio(checks, weir, scratch, root, start)
        if shutil.which("lmp"):
            script = Path(scratch) / "in.melt"
            script.write_text(LAMMPS)
            as_checked(checks, weir, "LAMMPS", [*start, "lmp", "-in", script, "-var", "dir", "{}", "-log", "none", "-screen", "none"])
        else:
            checks.skip("LAMMPS", "not installed")
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
