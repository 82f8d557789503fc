#!/usr/bin/env python3
"""Proxies of programs without MPI make the same calls, on files of their own; their size does not go with the calls.

Usage: posix.py WEIR
"""
import sys
from pathlib import Path

from common import HERE, Case, Checks, build, run, scratch_directory, text_of

CAPTURE = HERE.parent / "capture" / "programs"
PROGRAMS = ["sequential", "strided", "append", "random", "threads", "vectored", "names", "dup", "mmap_io", "errors"]


def input_file(directory):
    (directory / "input.txt").write_text("".join(f"line {i} {'x' * (i * 7 % 50)}\n" for i in range(30)) + "z" * 200 + "\nlast")


def snapshot(directory):
    return {path.relative_to(directory): path.read_bytes() if path.is_file() else None for path in directory.rglob("*")}


def check_mixed(checks, weir, scratch):
    binary = build(HERE / "programs" / "mixed.c", scratch / "mixed")
    sizes = {}
    for steps in (10, 100):
        directory = scratch / f"mixed-{steps}"
        directory.mkdir()
        input_file(directory)
        case = Case(checks, weir, scratch, f"mixed-{steps}")
        if not case.record([binary, steps], directory):
            continue
        before = snapshot(directory)
        if case.make() is None or case.compare() is None:
            continue
        case.replay()
        sizes[steps] = case.about["source_bytes"]
        checks.expect(f"mixed-{steps}: the program's own files are as they were", snapshot(directory) == before)
        root = scratch / f"mixed-{steps}.root"
        made = root / str(directory.resolve()).lstrip("/")
        checks.equal(f"mixed-{steps}: files below the root", {path for path in snapshot(made)}, {path for path in before})
        checks.equal(f"mixed-{steps}: size of what it wrote", (made / "shared.dat").stat().st_size,
                     (directory / "shared.dat").stat().st_size)
        second = run([case.program, "--root", root])
        checks.expect(f"mixed-{steps}: a root that was used before is refused", second.returncode == 2 and
                      b"earlier run" in second.stderr, text_of(second))
        missing = made / "input.txt"
        fresh = scratch / f"mixed-{steps}.fresh"
        wrong = run([case.program, "--root", fresh, "--no-such-option"])
        checks.equal(f"mixed-{steps}: an unknown option", wrong.returncode, 2)
        checks.expect(f"mixed-{steps}: input was made", missing.exists())
        if steps == 10:
            check_difference(checks, case, scratch, binary)


def check_difference(checks, case, scratch, binary):
    """Another run of the program with other arguments is not the same."""
    directory = scratch / "mixed-other"
    directory.mkdir()
    input_file(directory)
    other = Case(checks, case.weir, scratch, "mixed-other")
    if other.record([binary, 11], directory):
        done = run([case.weir, "proxy", case.trace_of_program, "--verify", other.trace_of_program])
        checks.expect("another run differs", done.returncode == 1 and b"differs" in done.stdout, text_of(done))


def check_loop(checks, weir, scratch):
    """The number of iterations is a number in the source."""
    code = scratch / "loop.c"
    code.write_text("""#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  static char data[4096];
  const int fd = open("loop.dat", O_RDWR | O_CREAT | O_TRUNC, 0644);
  for (int i = 0; i < atoi(argv[1]); ++i)
    if (pwrite(fd, data, sizeof data, (off_t)i * 8192) != sizeof data) return 1;
  return close(fd);
}
""")
    binary = build(code, scratch / "loop")
    sizes = []
    for count in (10, 1000, 100000):
        directory = scratch / f"loop-{count}"
        directory.mkdir()
        case = Case(checks, weir, scratch, f"loop-{count}")
        if case.whole([binary, count], directory):
            sizes.append(case.about["source_bytes"])
    checks.expect("the source is as long for 10 as for 100000 writes", len(sizes) == 3 and max(sizes) - min(sizes) < 64, sizes)


def check_libraries(checks, weir, scratch):
    """Calls of HDF5 and NetCDF are made again, with a compiler and without, and what they do inside is their own."""
    for name, package, options in (("hdf5_sets", "hdf5-serial", ["-DSERIAL"]), ("hdf5_corners", "hdf5-serial", []), ("hdf5_texts", "hdf5-serial", []), ("netcdf_grid", "netcdf", [])):
        found = [run(["pkg-config", kind, package]) for kind in ("--cflags", "--libs")]
        if any(one.returncode for one in found):
            checks.skip(name, f"no {package}")
            continue
        cflags, libs = (one.stdout.decode().split() for one in found)
        folders = [word[2:] for word in libs if word.startswith("-L")]
        binary = scratch / name
        done = run(["cc", "-O1", "-w", *options, *cflags, "-o", binary, HERE.parent / "mpi" / "programs" / f"{name}.c", *libs,
                    *[f"-Wl,-rpath,{folder}" for folder in folders]])
        checks.expect(f"{name}: compiles", done.returncode == 0, text_of(done))
        directory = scratch / f"{name}-in"
        directory.mkdir()
        case = Case(checks, weir, scratch, name)
        if case.whole([binary], directory):
            case.replay()
            made = scratch / f"{name}.replayed" / str(directory.resolve()).lstrip("/")
            sizes = [{path.name: path.stat().st_size for path in folder.iterdir()} for folder in (directory, made)]
            if name == "hdf5_texts":  # texts are data
                checks.equal(f"{name}: its files when replayed", sorted(sizes[1]), sorted(sizes[0]))
            else:
                checks.equal(f"{name}: its files have the same sizes when replayed", sizes[1], sizes[0])


def main():
    weir = Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:]
    checks = Checks()
    with scratch_directory() as name:
        scratch = Path(name)
        if not wanted or "mixed" in wanted:
            check_mixed(checks, weir, scratch)
        if not wanted or "loop" in wanted:
            check_loop(checks, weir, scratch)
        if not wanted or "libraries" in wanted:
            check_libraries(checks, weir, scratch)
        for program in PROGRAMS:
            if wanted and program not in wanted:
                continue
            binary = build(CAPTURE / f"{program}.c", scratch / program)
            directory = scratch / f"{program}-in"
            directory.mkdir()
            case = Case(checks, weir, scratch, program)
            if case.whole([binary], directory, status=7 if program == "sequential" else 0):
                case.replay()
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
