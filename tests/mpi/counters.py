"""An independent witness: a library that counts every call of MPI, made from the installed header alone.

It stands behind Weir's recorder: what a program calls goes through Weir to the counter, and from there to PMPI. Each rank
leaves counts.RANK in its working directory, a line per function.
"""
import re
import subprocess

# Not functions of the program's: handles of another language, which both headers may make macros of.
LEFT_OUT = re.compile(r"_(c2f|f2c|f082c|c2f08|f082f|f2f08)$|_T_|_FN$|^MPI_Pcontrol$|^MPI_DUP_|^MPI_NULL_|_DUP_|_NULL_")


def prototypes(mpicc):
    header = subprocess.run([mpicc, "-E", "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", "-include", "mpi.h", "-x", "c", "/dev/null"],
                            capture_output=True, text=True, check=True).stdout
    header = re.sub(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)", " ", header)
    header = re.sub(r"^#.*$", "", header, flags=re.M)
    found = {}
    for match in re.finditer(r"\b(int|double)\s+(MPI_[A-Z][A-Za-z_0-9]*)\s*\(([^;{}]*?)\)\s*;", header):
        result, name, arguments = match.groups()
        if LEFT_OUT.search(name) or name in found or "..." in arguments or "(*" in arguments:
            continue
        found[name] = (result, " ".join(arguments.split()))
    return found


def split(arguments):
    return [] if arguments in ("", "void") else [one.strip() for one in arguments.split(",")]


def name_of(argument):
    return re.search(r"([A-Za-z_0-9]+)\s*(\[[^\]]*\]\s*)*$", argument).group(1)


def source(functions):
    text = ['#include <mpi.h>', '#include <stdio.h>', '#include <stdlib.h>', '#include <stdatomic.h>', '#include <unistd.h>',
            f'static atomic_ulong counts[{len(functions)}];', 'static int rank = -1;',
            'static const char* const names[] = {' + ", ".join(f'"{name}"' for name in functions) + '};',
            '__attribute__((destructor)) static void tell(void) {', '  char path[64]; unsigned i;',
            '  if (rank < 0) return;', '  snprintf(path, sizeof path, "counts.%d", rank);', '  FILE* out = fopen(path, "w");',
            f'  for (i = 0; out && i < {len(functions)}; ++i)',
            '    if (counts[i]) fprintf(out, "%s %lu\\n", names[i], (unsigned long)counts[i]);',
            '  if (out) fclose(out);', '}']
    for i, (name, (result, arguments)) in enumerate(functions.items()):
        values = ", ".join(name_of(one) for one in split(arguments))
        after = "PMPI_Comm_rank(MPI_COMM_WORLD, &rank);" if name.startswith("MPI_Init") and name in ("MPI_Init", "MPI_Init_thread") else ""
        text.append(f'{result} {name}({arguments or "void"}) {{ ++counts[{i}]; {result} weir_result = P{name}({values}); {after} return weir_result; }}')
    return "\n".join(text) + "\n"


def build(mpicc, directory):
    """The library, and the names it counts."""
    functions = prototypes(mpicc)
    code = directory / "counters.c"
    code.write_text(source(functions))
    library = directory / "libcounters.so"
    subprocess.run([mpicc, "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", "-w", "-shared", "-fPIC", "-O1", "-o", library, code], check=True)
    return library, set(functions)
