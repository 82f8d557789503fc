"""An independent witness of arguments: the program itself writes down, for each call of MPI it makes, what it hands over
and what it gets back. A file of C is made from the installed header and from the lists below (what the standard says of
arrays), and linked into the program by `ld --wrap`: it stands before every recorder, and sees what the program's own
language sees, in Fortran addresses of 4-byte handles.

Each process leaves told.PID in its working directory, a line of JSON per call; the first names the constants.
"""
import re
import subprocess
from pathlib import Path

import prototypes
from common import PROGRAMS

# How many items an array has, by the position of the argument; a0 is the first one. SIZE is that of the communicator (of
# the remote group, if there is one), IN and OUT its neighbours, ROOT the same as SIZE at the root and none elsewhere.
SIZED = {
    "MPI_Startall": {1: "a0"}, "MPI_Waitall": {1: "a0", 2: "a0"}, "MPI_Testall": {1: "a0", 3: "*a2 ? a0 : 0"},
    "MPI_Waitany": {1: "a0"}, "MPI_Testany": {1: "a0"},
    "MPI_Waitsome": {1: "a0", 3: "*a2", 4: "*a2"}, "MPI_Testsome": {1: "a0", 3: "*a2", 4: "*a2"},
    "MPI_Gatherv": {4: "ROOT", 5: "ROOT"}, "MPI_Scatterv": {1: "ROOT", 2: "ROOT"},
    "MPI_Allgatherv": {4: "SIZE", 5: "SIZE"}, "MPI_Alltoallv": {1: "SIZE", 2: "SIZE", 5: "SIZE", 6: "SIZE"},
    "MPI_Alltoallw": {1: "SIZE", 2: "SIZE", 3: "SIZE", 5: "SIZE", 6: "SIZE", 7: "SIZE"},
    "MPI_Reduce_scatter": {2: "LOCAL"},
    "MPI_Neighbor_allgatherv": {4: "IN", 5: "IN"}, "MPI_Neighbor_alltoallv": {1: "OUT", 2: "OUT", 5: "IN", 6: "IN"},
    "MPI_Neighbor_alltoallw": {1: "OUT", 2: "OUT", 3: "OUT", 5: "IN", 6: "IN", 7: "IN"},
    "MPI_Group_incl": {2: "a1"}, "MPI_Group_excl": {2: "a1"}, "MPI_Group_translate_ranks": {2: "a1", 4: "a1"},
    "MPI_Group_range_incl": {2: "3 * a1"}, "MPI_Group_range_excl": {2: "3 * a1"},
    "MPI_Dims_create": {2: "a1"}, "MPI_Cart_create": {2: "a1", 3: "a1"}, "MPI_Cart_map": {2: "a1", 3: "a1"},
    "MPI_Cart_get": {2: "a1", 3: "a1", 4: "a1"}, "MPI_Cart_coords": {3: "a2"}, "MPI_Cart_rank": {1: "DIMS"}, "MPI_Cart_sub": {1: "DIMS"},
    "MPI_Graph_create": {2: "a1", 3: "a2[a1 - 1]"}, "MPI_Graph_map": {2: "a1", 3: "a2[a1 - 1]"}, "MPI_Graph_get": {3: "a1", 4: "a2"},
    "MPI_Graph_neighbors": {3: "a2"},
    "MPI_Dist_graph_create": {2: "a1", 3: "a1", 4: "told_sum(a3, a1)", 5: "told_sum(a3, a1)"},
    "MPI_Dist_graph_create_adjacent": {2: "a1", 3: "a1", 5: "a4", 6: "a4"}, "MPI_Dist_graph_neighbors": {2: "a1", 3: "a1", 5: "a4", 6: "a4"},
    "MPI_Type_indexed": {1: "a0", 2: "a0"}, "MPI_Type_hindexed": {1: "a0", 2: "a0"}, "MPI_Type_create_hindexed": {1: "a0", 2: "a0"},
    "MPI_Type_create_indexed_block": {2: "a0"}, "MPI_Type_create_hindexed_block": {2: "a0"},
    "MPI_Type_struct": {1: "a0", 2: "a0", 3: "a0"}, "MPI_Type_create_struct": {1: "a0", 2: "a0", 3: "a0"},
    "MPI_Type_create_subarray": {1: "a0", 2: "a0", 3: "a0"}, "MPI_Type_create_darray": {3: "a2", 4: "a2", 5: "a2", 6: "a2"},
    "MPI_Type_get_contents": {4: "a1", 5: "a2", 6: "a3"},
}
for _name in ("Gatherv", "Scatterv", "Allgatherv", "Alltoallv", "Alltoallw", "Reduce_scatter", "Neighbor_allgatherv", "Neighbor_alltoallv",
              "Neighbor_alltoallw"):
    SIZED[f"MPI_I{_name.lower()}"] = SIZED[f"MPI_{_name}"]
HANDLES = {"MPI_Comm": "Comm", "MPI_Datatype": "Type", "MPI_Group": "Group", "MPI_Op": "Op", "MPI_Win": "Win", "MPI_File": "File", "MPI_Info": "Info",
           "MPI_Errhandler": "Errhandler", "MPI_Message": "Message", "MPI_Request": "Request"}
NUMBERS = {"int", "MPI_Aint", "MPI_Offset", "MPI_Count", "MPI_Fint"}
# Where Fortran has default integers though C has addresses: what MPI 2 replaced.
SHORT_IN_FORTRAN = re.compile(r"^MPI_(Address|Type_(hvector|hindexed|struct|extent|lb|ub))$")
# Positions in lists: from 1 in Fortran. With mpi_f08 of MPICH 4.0 from 0, as in C: it is the request behind the one at the told
# place that is gone afterwards.
FROM_ONE = {"MPI_Waitany": [2], "MPI_Testany": [2], "MPI_Waitsome": [3], "MPI_Testsome": [3]}
NAMED = {
    "number": "MPI_PROC_NULL MPI_ANY_SOURCE MPI_ROOT MPI_UNDEFINED MPI_ANY_TAG MPI_SEEK_SET MPI_SEEK_CUR MPI_SEEK_END",
    "MPI_Comm": "MPI_COMM_NULL MPI_COMM_WORLD MPI_COMM_SELF", "MPI_Group": "MPI_GROUP_NULL MPI_GROUP_EMPTY", "MPI_Win": "MPI_WIN_NULL",
    "MPI_File": "MPI_FILE_NULL", "MPI_Info": "MPI_INFO_NULL MPI_INFO_ENV", "MPI_Request": "MPI_REQUEST_NULL",
    "MPI_Message": "MPI_MESSAGE_NULL MPI_MESSAGE_NO_PROC", "MPI_Errhandler": "MPI_ERRHANDLER_NULL MPI_ERRORS_ARE_FATAL MPI_ERRORS_RETURN",
    "MPI_Op": "MPI_OP_NULL MPI_MAX MPI_MIN MPI_SUM MPI_PROD MPI_LAND MPI_BAND MPI_LOR MPI_BOR MPI_LXOR MPI_BXOR MPI_MINLOC MPI_MAXLOC "
              "MPI_REPLACE MPI_NO_OP",
    "MPI_Datatype": "MPI_DATATYPE_NULL MPI_CHAR MPI_SIGNED_CHAR MPI_UNSIGNED_CHAR MPI_BYTE MPI_WCHAR MPI_SHORT MPI_UNSIGNED_SHORT MPI_INT "
                    "MPI_UNSIGNED MPI_LONG MPI_UNSIGNED_LONG MPI_FLOAT MPI_DOUBLE MPI_LONG_DOUBLE MPI_LONG_LONG MPI_UNSIGNED_LONG_LONG "
                    "MPI_PACKED MPI_INT8_T MPI_INT16_T MPI_INT32_T MPI_INT64_T MPI_UINT8_T MPI_UINT16_T MPI_UINT32_T MPI_UINT64_T "
                    "MPI_AINT MPI_COUNT MPI_OFFSET MPI_C_BOOL MPI_FLOAT_INT MPI_DOUBLE_INT MPI_LONG_INT MPI_2INT MPI_SHORT_INT "
                    "MPI_INTEGER MPI_REAL MPI_DOUBLE_PRECISION MPI_COMPLEX MPI_DOUBLE_COMPLEX MPI_LOGICAL MPI_CHARACTER MPI_2INTEGER "
                    "MPI_2REAL MPI_2DOUBLE_PRECISION MPI_INTEGER1 MPI_INTEGER2 MPI_INTEGER4 MPI_INTEGER8 MPI_REAL4 MPI_REAL8",
}


class Argument:
    def __init__(self, declared):
        array = "[" in declared
        declared = re.sub(r"\[[^\]]*\]", "", declared)
        self.const = bool(re.search(r"\bconst\b", declared))
        self.stars = declared.count("*") + array
        self.type = re.sub(r"[*]|\bconst\b", " ", declared).split()[0]
        self.array = array

    @property
    def kind(self):
        if self.type == "MPI_Status":
            return "status" if self.stars == 1 and not self.const else None
        if self.type == "char":
            return {1: "text"}.get(self.stars)
        if self.type in HANDLES:
            return "handle" if self.stars < 2 else None
        if self.type in NUMBERS:
            return "number" if self.stars < 2 else None
        return "buffer" if self.type == "void" and self.stars == 1 else None


class Function:
    """One wrapper. `symbol` is what the program calls: MPI_Send, mpi_send_, mpi_send_f08ts_."""

    def __init__(self, symbol, name, prototype, mpi):
        self.symbol, self.name, self.result = symbol, name, prototype[0]
        self.counts_from = 0 if symbol.startswith("MPI_") or (mpi == "mpich" and "_f08" in symbol) else 1
        self.declared = prototype[1]
        self.arguments = [Argument(one) for one in prototype[1]]
        self.fortran = not symbol.startswith("MPI_")
        for at, one in enumerate(self.arguments):
            if one.array and one.kind in ("number", "handle") and at not in SIZED.get(name, {}) and "spawn" not in name:
                raise SystemExit(f"told.py: nothing says how long argument {at} of {name} is")

    def c_type(self, at):
        one = self.arguments[at]
        if not self.fortran:
            return one.type
        short = one.type == "int" or one.type in HANDLES or SHORT_IN_FORTRAN.match(self.name)
        return "MPI_Fint" if short else one.type

    def text(self):
        return self.fortran_text() if self.fortran else self.c_text()

    def c_text(self):
        parameters = ", ".join(re.sub(r"[A-Za-z_0-9]+(\s*(?:\[[^\]]*\]\s*)*)$", rf"a{at}\1", one) for at, one in enumerate(self.declared))
        values = ", ".join(f"a{at}" for at in range(len(self.arguments)))
        call = f"__real_{self.symbol}({values})"
        return (f"{self.result} __real_{self.symbol}({parameters or 'void'});\n"
                f"{self.result} __wrap_{self.symbol}({parameters or 'void'}) {{\n{self.body(f'const {self.result} result = {call};')}  return result;\n}}\n")

    def fortran_text(self):
        """By address, the error behind the arguments, the lengths of texts behind that. There is no argc and argv."""
        arguments = [] if self.name == "MPI_Init" else self.arguments
        if self.name == "MPI_Init_thread":
            arguments = self.arguments[2:]
        first = len(self.arguments) - len(arguments)
        names = [f"p{at}" for at in range(first, len(self.arguments))] if arguments else []
        lengths = [f"n{at}" for at, one in enumerate(self.arguments) if one.kind == "text" and f"p{at}" in names]
        parameters = ", ".join([f"void* {one}" for one in names] + ["MPI_Fint* error"] + [f"size_t {one}" for one in lengths])
        values = ", ".join(names + ["&code"] + lengths)
        locals_ = "".join(self.local(int(one[1:])) for one in names)
        call = f"MPI_Fint code = 0;\n  __real_{self.symbol}({values});\n  if (error != NULL) *error = code;\n  const int result = code;"
        return (f"void __real_{self.symbol}({parameters});\nvoid __wrap_{self.symbol}({parameters}) {{\n{locals_}"
                f"{self.body(call, first if arguments else len(self.arguments))}}}\n")

    def local(self, at):
        """The Fortran argument under the name that expressions of lengths use."""
        one = self.arguments[at]
        if one.kind not in ("number", "handle", "status"):
            return ""
        kind = self.c_type(at) if one.kind != "status" else "MPI_Fint"
        if one.stars == 0:
            return f"  const {kind} a{at} = *(const {kind}*)p{at};\n"
        return f"  {kind}* const a{at} = p{at};\n"

    def count(self, at):
        """How many items, as an expression; None: one."""
        text = SIZED.get(self.name, {}).get(at)
        if text is None:
            return None
        comm = next((f"a{k}" for k, one in enumerate(self.arguments) if one.type == "MPI_Comm" and one.stars == 0), None)
        if comm and self.fortran:
            comm = f"PMPI_Comm_f2c({comm})"
        root = f"a{len(self.arguments) - (3 if self.name.startswith('MPI_I') else 2)}"
        helpers = {"ROOT": f"told_at_root({comm}, {root})", "SIZE": f"told_size({comm})", "LOCAL": f"told_local({comm})", "DIMS": f"told_dims({comm})",
                   "IN": f"told_neighbours({comm}, 0)", "OUT": f"told_neighbours({comm}, 1)"}
        return helpers.get(text, text)

    def body(self, call, first=0):
        before = after = ""
        for at in range(first, len(self.arguments)):
            one, count, name = self.arguments[at], self.count(at), f"a{at}"
            if one.kind is None:
                continue
            pointer, length = (f"p{at}", f"n{at}") if self.fortran else (name, "0")
            if one.kind == "buffer":
                before += f"  told_buffer({at}, {pointer});\n"
            elif one.kind == "text":
                tell = f"  told_text({at}, {pointer}, {length if self.fortran else f'strnlen({pointer}, 8192)'});\n"
                if one.const:
                    before += tell
                else:
                    after += f"  if (result == MPI_SUCCESS)\n  {tell}"
            elif one.kind == "status":
                after += f"  told_statuses({at}, {name}, {count or -1});\n"
            elif one.stars == 0:
                before += f"  told_{one.kind}({at}, {self.number(at, name)});\n"
            elif one.kind == "handle":
                items = count or -1
                keep = f"  {self.c_type(at)}* const k{at} = told_keep({name}, {count or 1}, sizeof({self.c_type(at)}));\n"
                if one.const:
                    after += f"  told_handles({at}, sizeof({self.c_type(at)}), {name}, {name}, {items});\n"
                else:
                    before += keep
                    after += f"  told_handles({at}, sizeof({self.c_type(at)}), k{at}, {name}, {items});\n"
            else:
                shift = self.counts_from if at in FROM_ONE.get(self.name, []) else 0
                tell = f"  told_numbers({at}, sizeof({self.c_type(at)}), {name}, {count or -1}, {shift});\n"
                if one.const:
                    before += tell
                else:
                    before += f"  told_before({at}, sizeof({self.c_type(at)}), {name}, {count or -1});\n" if "*a" not in (count or "") else ""
                    after += tell
        return (f'  told_begin("{self.name}");\n{before}  told_called();\n  {call}\n  told_returned((long long)result);\n{after}  told_end();\n')

    def number(self, at, name):
        return f"(long long)(intptr_t){name}" if self.arguments[at].kind == "handle" else f"(long long){name}"


def constants(fortran):
    text = "static void told_constants(void) {\n"
    for kind, names in NAMED.items():
        for name in names.split():
            value = f"P{'MPI_' + HANDLES[kind]}_c2f({name})" if fortran and kind in HANDLES else f"(intptr_t){name}"
            text += f'  told_constant("{kind}", "{name}", (long long){value});\n'
    return text + "}\n"


def undefined(binary):
    out = subprocess.run(["nm", "-u", binary], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1] for line in out.splitlines()]


def build(mpi, name, directory):
    """The program with the witness in it, and the functions it tells of: {name: [Argument]}."""
    directory = Path(directory)
    known = prototypes.of_mpi(mpi.compiler)
    lower = {one.lower(): one for one in known}
    objects = mpi.build(name, directory, "-c", suffix=".o")
    functions = []
    for symbol in undefined(objects):
        plain = re.sub(r"(_f08(ts)?)?_$", "", symbol) if not symbol.startswith("MPI_") else symbol
        if plain.lower() in lower and "Wti" not in lower[plain.lower()]:
            functions.append(Function(symbol, lower[plain.lower()], known[lower[plain.lower()]], mpi.name))
    fortran = functions[0].fortran
    code = directory / f"told_{name}.{mpi.name}.c"
    library = next(word for word in subprocess.run(["ldd", mpi.build("leaves", directory)], capture_output=True, text=True, check=True).stdout.split()
                   if re.match(r"/.*/libmpi(ch)?\.so", word))
    code.write_text(f'#define TOLD_LIBRARY "{library}"\n#define TOLD_FORTRAN {int(fortran)}\n' + '#include "told.h"\n' + constants(fortran) +
                    "".join(one.text() for one in functions))
    subprocess.run([mpi.compiler, *prototypes.MPI_OPTIONS, "-w", "-O1", "-c", "-I", PROGRAMS, "-o", code.with_suffix(".o"), code], check=True)
    program = directory / f"{name}.told.{mpi.name}"
    compiler = mpi.fortran if fortran else mpi.compiler
    subprocess.run([compiler, "-o", program, objects, code.with_suffix(".o"), *[f"-Wl,--wrap={one.symbol}" for one in functions], "-lm", "-lpthread", "-ldl"],
                   check=True)
    return program, {one.name: one.arguments for one in functions}
