#!/usr/bin/env python3
"""Programs of HDF5, NetCDF and PnetCDF, and LAMMPS, do the same traced as bare; the trace holds exactly the calls that
libraries of counters saw, of MPI and of the library, on every rank, one inside the other.

Usage: libraries.py WEIR [CASE...]
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import counters
import prototypes
from common import PROGRAMS, Checks, installed, run, scratch_directory, stat, trace
from programs import NOT_COUNTED, POLLING, lines, recorded

# What the recorder itself asks for, to know how many dimensions there are; and H5open, which is in no table.
NOT_HDF5 = {"H5open", "H5check_version", "H5Iget_type", "H5Sget_simple_extent_ndims", "H5Eget_auto2", "H5Eset_auto2", "H5Eauto_is_v2"}
NOT_NETCDF = {"nc_inq_varndims", "nc_inq_var", "ncmpi_inq_varndims"}
LAMMPS = """
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
dump 1 all {style} 10 atoms.dump
thermo 20
run 40
"""


def flags(package, kind):
    found = subprocess.run(["pkg-config", kind, package], capture_output=True, text=True)
    return found.stdout.split() if found.returncode == 0 else None


def compile_program(checks, compiler, source, package, out, *options):
    """The program, or None where the library is not installed."""
    cflags, libs = flags(package, "--cflags"), flags(package, "--libs")
    if cflags is None or shutil.which(compiler) is None:
        checks.skip(source, f"no {package if cflags is None else compiler}")
        return None
    folders = [word[2:] for word in libs if word.startswith("-L")]
    subprocess.run([compiler, "-O1", "-w", *options, *cflags, "-o", out, PROGRAMS / f"{source}.c", *libs,
                    *[f"-Wl,-rpath,{folder}" for folder in folders]], check=True)
    return out


def compare(checks, weir, what, scratch, command, witnesses, compared=()):
    """Runs it bare and traced with the witnesses behind; witnesses are (prefix, library, names)."""
    bare_in, traced_in, out = scratch / "bare", scratch / "traced", scratch / "run.trace"
    bare_in.mkdir(), traced_in.mkdir()
    bare = run(command, cwd=bare_in)
    checks.equal(f"{what}: runs bare", bare.returncode, 0)
    under = trace(weir, out, command, cwd=traced_in,
                  env=os.environ | {"LD_PRELOAD": ":".join(str(library) for _, library, _ in witnesses)})
    if not checks.equal(f"{what}: exit status", under.returncode, bare.returncode):
        print(under.stdout.decode()[-2000:], under.stderr.decode()[-4000:])
        return None
    checks.equal(f"{what}: output", lines(under.stdout), lines(bare.stdout)) if not compared else None
    for name in compared or [path.name for path in bare_in.iterdir()]:
        checks.expect(f"{what}: {name}", (bare_in / name).read_bytes() == (traced_in / name).read_bytes(), "differs")
    for prefix, _, known in witnesses:
        checks.equal(f"{what}: {prefix} of every process", recorded(weir, out, known), counters.counted(traced_in, prefix, known))
    checks.equal(f"{what}: verify", run([weir, "verify", out]).returncode, 0)
    return out


def pairs(weir, out):
    return {(one["caller"], one["callee"]) for one in stat(weir, out)["called_inside"]}


def texts(weir, out, function):
    return [line.split(None, 3)[-1] for line in run([weir, "dump", out, "--function", function], check=True).stdout.decode().splitlines()]


HDF5 = ("hdf5.h", "H5[A-Z]*[a-z][A-Za-z_0-9]*", NOT_HDF5)
NETCDF = ("netcdf.h", "nc_[a-z_0-9]+", NOT_NETCDF)
PNETCDF = ("pnetcdf.h", "ncmpi_[a-z_0-9]+", NOT_NETCDF)


def against_counters(checks, weir, scratch, what, source, package, about, mpi=None, options=()):
    """A program of a library, on 4 ranks where there is an MPI, against counters of the library and of MPI. The trace, or
    None where the library is not installed or the program does not run."""
    compiler = mpi.compiler if mpi else "cc"
    binary = compile_program(checks, compiler, source, package, scratch / source, *options)
    if binary is None:
        return None
    header, pattern, left_out = about
    with_options = [compiler, *flags(package, "--cflags")]
    library, known = counters.build("library", header, prototypes.read(with_options, header, pattern), with_options, scratch)
    witnesses = [("library", library, known - left_out)]
    if mpi:
        library, known = counters.build_mpi(mpi.compiler, scratch)
        witnesses.append(("mpi", library, known - POLLING - NOT_COUNTED))
    return compare(checks, weir, what, scratch, mpi.start(4, binary) if mpi else [binary], witnesses)


def hdf5_serial(checks, weir, scratch):
    out = against_counters(checks, weir, scratch, "hdf5, one process", "hdf5_sets", "hdf5-serial", HDF5, options=["-DSERIAL"])
    if out is None:
        return
    rows = "\n".join(texts(weir, out, "H5Sselect_hyperslab"))
    checks.expect("hdf5: the rows are there", "[3, 0]" in rows and "[1, 16]" in rows, rows[:800])
    made = "\n".join(texts(weir, out, "H5Dcreate2"))
    checks.expect("hdf5: names of sets and types", '"set_002"' in made and "H5T_STD_I32LE" in made, made[:800])
    checks.expect("hdf5: H5Dwrite calls pwrite", ("H5Dwrite", "pwrite") in pairs(weir, out) or ("H5Fflush", "pwrite") in pairs(weir, out), pairs(weir, out))


def hdf5_corners(checks, weir, scratch):
    binary = compile_program(checks, "cc", "hdf5_corners", "hdf5-serial", scratch / "hdf5_corners")
    if binary is None:
        return
    out = compare(checks, weir, "hdf5, corners", scratch, [binary], [])
    if out is None:
        return
    for function, wanted in (("H5Pget_chunk", "[4, 4]"), ("H5Dwrite_chunk", "[4, 4]"), ("H5Oget_comment", '"0123"'),
                             ("H5Sselect_elements", "2, [[1, 2], [7, 0]]")):
        found = "\n".join(texts(weir, out, function))
        checks.expect(f"hdf5: {function} has {wanted}", wanted in found, found)
    found = texts(weir, out, "H5Fget_obj_ids")
    checks.expect("hdf5: one object is open", found[0].count("object#") == 2, found)
    made = texts(weir, out, "H5Screate_simple")
    checks.equal("hdf5: an object without references is over", len({one.split(" <")[0] for one in made[1:]}), 1)
    only = scratch / "only"
    only.mkdir()
    trace(weir, scratch / "only.trace", [binary], "--layers", "posix", cwd=only)
    checks.equal("hdf5, posix only: nothing inside others", stat(weir, scratch / "only.trace")["called_inside"], [])
    layers = stat(weir, out)["layers"]
    checks.expect("hdf5: bytes of the calls inside", 0 < layers["hdf5"]["written_bytes"] <= layers["posix"]["written_bytes"], layers)


def hdf5_parallel(checks, weir, scratch, mpi):
    out = against_counters(checks, weir, scratch, f"{mpi.name} hdf5, 4 ranks", "hdf5_sets", f"hdf5-{mpi.name}", HDF5, mpi)
    if out is None:
        return
    found = pairs(weir, out)
    checks.expect(f"{mpi.name} hdf5: MPI-IO inside HDF5", any(a.startswith("H5") and b.startswith("MPI_File_write") for a, b in found), found)
    checks.expect(f"{mpi.name} hdf5: POSIX inside MPI-IO", any(a.startswith("MPI_File_") and "write" in b for a, b in found if not b.startswith("MPI")), found)
    layers = stat(weir, out)["layers"]
    checks.expect(f"{mpi.name} hdf5: layers", {"hdf5", "mpiio", "mpi", "posix"} <= set(layers), layers.keys())
    checks.expect(f"{mpi.name} hdf5: the communicator", "MPI_COMM_WORLD" in "".join(texts(weir, out, "H5Pset_fapl_mpio")), "")


def netcdf(checks, weir, scratch):
    out = against_counters(checks, weir, scratch, "netcdf", "netcdf_grid", "netcdf", NETCDF)
    if out is None:
        return
    rows = "\n".join(texts(weir, out, "nc_put_vara_float"))
    checks.expect("netcdf: start and count", "[5, 0, 0]" in rows and "[1, 4, 8]" in rows, rows[:800])
    checks.expect("netcdf: the failure", "-49" in "\n".join(texts(weir, out, "nc_inq_varid")), texts(weir, out, "nc_inq_varid"))


def pnetcdf(checks, weir, scratch, mpi):
    if mpi.name != "openmpi":  # what Debian's library is built with
        return
    out = against_counters(checks, weir, scratch, "pnetcdf, 4 ranks", "pnetcdf_grid", "pnetcdf", PNETCDF, mpi)
    if out is None:
        return
    waited = "\n".join(texts(weir, out, "ncmpi_wait_all"))
    checks.expect("pnetcdf: the requests waited for", "[request#0, request#1, request#2, request#3]" in waited, waited[:800])


def pnetcdf_blocks(checks, weir, scratch, mpi):
    if mpi.name != "openmpi":
        return
    out = against_counters(checks, weir, scratch, "pnetcdf, blocks", "pnetcdf_blocks", "pnetcdf", PNETCDF, mpi)
    if out is None:
        return
    shown = texts(weir, out, "ncmpi_put_varn_int_all")
    for wanted in ("2, [[3, 0], [3, 6]], [[1, 4], [1, 2]], …", "2, [[3, 0], [3, 6]], [[1, 4], NULL], …", "2, [[3, 0], [3, 6]], NULL, …"):
        checks.expect(f"pnetcdf: {wanted}", any(wanted in one for one in shown), shown)
    failed = texts(weir, out, "ncmpi_get_varn_int_all")
    checks.expect("pnetcdf: blocks of a call that failed", any("[[2, 100000]], [[1, 4]], …" in one for one in failed), failed)
    several = texts(weir, out, "ncmpi_mput_vara_int_all")
    checks.expect("pnetcdf: of several variables", any("3, [0, 1, 2], [[1, 0], [1], []], [[1, 2], [1], []], …" in one for one in several), several)
    waited = texts(weir, out, "ncmpi_wait_all")
    checks.expect("pnetcdf: all of many requests", all(one.count("request#") == 1500 for one in waited), [len(one) for one in waited])
    numbers = {word for one in waited for word in re.findall(r"request#\d+", one)}
    checks.equal("pnetcdf: their numbers are free again", len(numbers), 1500)


def lammps(checks, weir, scratch, mpi):
    if mpi.name != "openmpi" or shutil.which("lmp") is None:
        if mpi.name == "openmpi":
            checks.skip("lammps", "no lmp; scripts/setup --apps installs it")
        return
    library, known = counters.build_mpi(mpi.compiler, scratch)
    for style in ("atom", "atom/mpiio"):
        here = scratch / style.replace("/", "-")
        here.mkdir()
        (here / "in.lj").write_text(LAMMPS.format(style=style))
        compare(checks, weir, f"lammps, dump {style}", here, mpi.start(4, "lmp", "-in", here / "in.lj", "-log", "none"),
                [("mpi", library, known - POLLING - NOT_COUNTED)], ["atoms.dump"])


def main():
    weir = Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:]
    checks = Checks()
    cases = [(case.__name__, case, []) for case in (hdf5_serial, hdf5_corners, netcdf)]
    cases += [(f"{case.__name__}", case, [mpi]) for case in (hdf5_parallel, pnetcdf, pnetcdf_blocks, lammps) for mpi in installed()]
    for name, case, arguments in cases:
        if not wanted or name in wanted:
            with scratch_directory() as scratch:
                case(checks, weir, Path(scratch), *arguments)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
