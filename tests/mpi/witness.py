"""An independent witness for a library's calls: a library that counts them, made from the installed header alone.

It stands behind Weir's recorder and finds the next function by dlsym. Each process leaves calls.PID in its working
directory, a line per function.
"""
import re
import subprocess


def prototypes(header, pattern, options):
    text = subprocess.run(["cc", "-E", *options, "-include", header, "-x", "c", "/dev/null"], capture_output=True, text=True, check=True).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)", " ", text)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    found = {}
    for match in re.finditer(r"\b([A-Za-z_0-9]+)\s+(" + pattern + r")\s*\(([^;{}()]*)\)\s*;", text):
        result, name, arguments = match.groups()
        if "..." not in arguments and result not in ("void", "return", "char"):
            found[name] = (result, " ".join(arguments.split()))
    return found


def source(header, functions):
    text = [f"#include <{header}>", "#define _GNU_SOURCE", "#include <dlfcn.h>", "#include <stdatomic.h>", "#include <stdio.h>", "#include <unistd.h>",
            f"static atomic_ulong witness_counts[{len(functions)}];",
            "static const char* const witness_names[] = {" + ", ".join(f'"{name}"' for name in functions) + "};",
            "__attribute__((destructor)) static void tell(void) {", "  char path[64]; unsigned long all = 0; unsigned i;",
            f"  for (i = 0; i < {len(functions)}; ++i) all += witness_counts[i];", "  if (all == 0) return;",
            '  snprintf(path, sizeof path, "calls.%d", (int)getpid());', '  FILE* out = fopen(path, "w");',
            f"  for (i = 0; out && i < {len(functions)}; ++i)",
            '    if (witness_counts[i]) fprintf(out, "%s %lu\\n", witness_names[i], (unsigned long)witness_counts[i]);', "  if (out) fclose(out);", "}"]
    for i, (name, (result, arguments)) in enumerate(functions.items()):
        values = [] if arguments in ("", "void") else [re.search(r"([A-Za-z_0-9]+)\s*(\[[^\]]*\]\s*)*$", one.strip()).group(1) for one in arguments.split(",")]
        text.append(f"{result} {name}({arguments or 'void'}) {{ static __typeof__(&{name}) witness_next; ++witness_counts[{i}];"
                    f" if (!witness_next) witness_next = (__typeof__(witness_next))dlsym(RTLD_NEXT, \"{name}\"); return witness_next({', '.join(values)}); }}")
    return "\n".join(text) + "\n"


def build(header, pattern, options, directory):
    """The library, and the names it counts."""
    functions = prototypes(header, pattern, options)
    code = directory / f"witness_{header.split('.')[0]}.c"
    code.write_text("#define _GNU_SOURCE\n" + source(header, functions))
    library = code.with_suffix(".so")
    subprocess.run(["cc", "-w", "-shared", "-fPIC", "-O1", *options, "-o", library, code, "-ldl"], check=True)
    return library, set(functions)
