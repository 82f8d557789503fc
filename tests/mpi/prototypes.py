"""The functions of an installed library as its header declares them: what the witnesses here are made from.

Nothing is taken from the tables of calls, so that a mistake there is found.
"""
import re
import subprocess

ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")


def read(compiler, header, pattern):
    """{name: (type of the result, [argument as declared])} of the functions whose name is `pattern` and whose arguments
    are fixed; `compiler` is a command with its options."""
    text = subprocess.run([*compiler, "-E", "-include", header, "-x", "c", "/dev/null"], capture_output=True, text=True, check=True).stdout
    text = re.sub(r"^#.*$", "", ATTRIBUTE.sub(" ", text), flags=re.M)
    found = {}
    for result, name, arguments in re.findall(r"\b([A-Za-z_0-9]+)\s+(" + pattern + r")\s*\(([^;{}()]*)\)\s*;", text):
        if "..." not in arguments and result not in ("void", "return", "char"):
            found.setdefault(name, (result, split(" ".join(arguments.split()))))
    return found


def split(arguments):
    return [] if arguments in ("", "void") else [one.strip() for one in arguments.split(",")]


def name_of(argument):
    return re.search(r"([A-Za-z_0-9]+)\s*(\[[^\]]*\]\s*)*$", argument).group(1)


# Of MPI: not what only hands over handles of another language, which both headers may make macros of, nor what the
# library itself gives to programs as values.
NOT_MPI = re.compile(r"_(c2f|f2c|f082c|c2f08|f082f|f2f08)$|_T_|_FN$|^MPI_DUP_|^MPI_NULL_|_DUP_|_NULL_")
MPI_OPTIONS = ["-DOMPI_OMIT_MPI1_COMPAT_DECLS=0"]


def of_mpi(mpicc):
    functions = read([mpicc, *MPI_OPTIONS], "mpi.h", "MPI_[A-Z][A-Za-z_0-9]*")
    return {name: one for name, one in functions.items() if one[0] in ("int", "double") and not NOT_MPI.search(name)}
