"""An independent witness: a library that counts every call of another one, made from that one's installed header.

It stands behind Weir's recorder: what a program calls goes through Weir to the counter, which finds the next function
by dlsym. Each process leaves PREFIX.PID in its working directory, a line per function.
"""
import subprocess
from pathlib import Path

import prototypes

SOURCE = """#define _GNU_SOURCE
#include <{header}>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
enum {{ kFunctions = {count} }};
static atomic_ulong counter_counts[kFunctions];
static const char* const counter_names[] = {{{names}}};
__attribute__((destructor)) static void counter_tell(void) {{
  char path[64];
  FILE* out = NULL;
  for (int i = 0; i < kFunctions; ++i) {{
    if (counter_counts[i] == 0) continue;
    snprintf(path, sizeof path, "{prefix}.%d", (int)getpid());
    if (out == NULL) out = fopen(path, "w");
    if (out != NULL) fprintf(out, "%s %lu\\n", counter_names[i], (unsigned long)counter_counts[i]);
  }}
  if (out != NULL) fclose(out);
}}
"""
FUNCTION = """{result} {name}({arguments}) {{
  static {result} (*counter_next)({arguments});
  ++counter_counts[{number}];
  if (!counter_next) counter_next = ({result}(*)({arguments}))dlsym(RTLD_NEXT, "{name}");
  return counter_next({values});
}}
"""


def build(prefix, header, functions, compiler, directory):
    """The library that counts `functions` (of prototypes.read), and their names."""
    text = SOURCE.format(header=header, prefix=prefix, count=len(functions), names=", ".join(f'"{name}"' for name in functions))
    for number, (name, (result, arguments)) in enumerate(functions.items()):
        text += FUNCTION.format(result=result, name=name, number=number, arguments=", ".join(arguments) or "void",
                                values=", ".join(map(prototypes.name_of, arguments)))
    code = Path(directory) / f"counters_{prefix}.c"
    code.write_text(text)
    library = code.with_suffix(".so")
    subprocess.run([*compiler, "-w", "-shared", "-fPIC", "-O1", "-o", library, code, "-ldl"], check=True)
    return library, set(functions)


def build_mpi(mpicc, directory):
    return build("mpi", "mpi.h", prototypes.of_mpi(mpicc), [mpicc, *prototypes.MPI_OPTIONS], directory)


def counted(directory, prefix, known):
    """What the counters wrote: {pid: {function: calls}} of the functions in `known`."""
    found = {}
    for path in Path(directory).glob(f"{prefix}.[0-9]*"):
        lines = (line.split() for line in path.read_text().splitlines())
        found[int(path.suffix[1:])] = {name: int(count) for name, count in lines if name in known}
    return {pid: one for pid, one in found.items() if one}
