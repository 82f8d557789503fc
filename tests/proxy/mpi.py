#!/usr/bin/env python3
"""Proxies of MPI programs make the same calls on every rank, with each MPI that is installed, and of LAMMPS.

Usage: mpi.py WEIR [program ...]
"""
import sys
from pathlib import Path

from common import Case, Checks, find, run, scratch_directory, text_of

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
import importlib.util  # noqa: E402

_about = importlib.util.spec_from_file_location("mpi_common", Path(__file__).resolve().parent.parent / "mpi" / "common.py")
mpi_common = importlib.util.module_from_spec(_about)
_about.loader.exec_module(mpi_common)

CASES = [  # program, ranks, arguments; replayed too
    ("stencil2d", 4, [2, 2, 20]),
    ("checkpoint", 3, [3]),
    ("offsets", 4, [8]),
    ("cg", 4, [3]),
    ("bt", 4, [2]),
]
LIBRARIES = [  # program, package of pkg-config; what has no name for an MPI is built with Open MPI
    ("hdf5_sets", "hdf5-{}"),
    ("pnetcdf_grid", "pnetcdf"),
    ("pnetcdf_blocks", "pnetcdf"),
]
LAMMPS = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
dump 1 all atom 10 dump.lj
dump 2 all atom/mpiio 10 dump.mpiio
thermo 10
run 30
"""


def case_of(checks, weir, scratch, mpi, name, ranks):
    return Case(checks, weir, scratch, name, [*mpi.launcher, "-n", ranks], f"mpicxx.{mpi.name}")


def check_libraries(checks, weir, scratch, mpi, wanted):
    """Programs of libraries on MPI: their calls are made again, and what they do inside is their own."""
    for program, package in LIBRARIES:
        package = package.format(mpi.name)
        flags = run(["pkg-config", "--cflags", "--libs", package])
        if (wanted and program not in wanted) or (package == "pnetcdf" and mpi.name != "openmpi"):
            continue
        if flags.returncode != 0:
            checks.skip(f"{mpi.name} {program}", f"no {package}")
            continue
        words = flags.stdout.decode().split()
        rpaths = [f"-Wl,-rpath,{word[2:]}" for word in words if word.startswith("-L")]
        binary = mpi.build(program, scratch, "-Wl,--no-as-needed", *words, *rpaths)
        work = scratch / f"{program}-in"
        work.mkdir()
        case = case_of(checks, weir, scratch, mpi, f"{mpi.name}-{program}", 4)
        case.package = package
        if case.whole([binary], work):
            case.replay()


def main():
    weir = Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:]
    checks = Checks()
    for mpi in mpi_common.installed():
        with scratch_directory() as directory:
            scratch = Path(directory)
            for program, ranks, arguments in CASES:
                if wanted and program not in wanted:
                    continue
                binary = mpi.build(program, scratch)
                work = scratch / f"{program}-in"
                work.mkdir()
                case = case_of(checks, weir, scratch, mpi, f"{mpi.name}-{program}", ranks)
                if case.whole([binary, *arguments], work):
                    case.replay()
            check_libraries(checks, weir, scratch, mpi, wanted)
            if not wanted or "stencil2d" in wanted:
                sizes = []
                for iterations in (5, 500):
                    case = case_of(checks, weir, scratch, mpi, f"{mpi.name}-stencil2d-{iterations}", 4)
                    if case.record([scratch / f"stencil2d.{mpi.name}", 2, 2, iterations], scratch) and case.make():
                        sizes.append(case.about["source_bytes"])
                checks.expect(f"{mpi.name}: source of the stencil does not grow with its iterations",
                              len(sizes) == 2 and sizes[1] < sizes[0] + 1024, sizes)
            if mpi.name == "openmpi" and (not wanted or "lammps" in wanted):
                if find("lmp") is None:
                    checks.skip("LAMMPS", "lmp is not installed (Debian: lammps)")
                    continue
                work = scratch / "lammps-in"
                work.mkdir()
                (work / "in.lj").write_text(LAMMPS)
                case = case_of(checks, weir, scratch, mpi, "openmpi-lammps", 4)
                if case.whole(["lmp", "-in", "in.lj"], work):
                    case.replay()
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
