#!/usr/bin/env python3
"""The layering guard must fail, by file and line, on what it is there to catch. Usage: layering_test.py ROOMS_TXT"""
import contextlib
import io
import sys
import tempfile
from pathlib import Path

import layering

CASES = [  # file, its text, what the guard says ("" = nothing)
    ("src/trace/a.cpp", '#include "calls/call.hpp"\n#include "base/units.hpp"\n', ""),
    ("src/base/a.cpp", '\n#include "trace/reader.hpp"\n', "src/base/a.cpp:2: room base may not use trace"),
    ("src/stats/a.hpp", '#include "cli/output.hpp"\n', "src/stats/a.hpp:1: room stats may not use cli"),
    ("src/semantics/a.cpp", '#include "grammar/sequitur.hpp"\n', ""),  # through trace
    ("src/semantics/a.cpp", '#include "grammar/detail/rule.hpp"\n', "is internal to grammar"),
    ("src/trace/a.cpp", "#include <mpi.h>\n", "<mpi.h> belongs into"),
    ("src/base/a.cpp", '#include "../cli/output.hpp"\n', "not with .."),
    ("src/attic/a.cpp", "", "src/attic is not in cmake/rooms.cmake"),
    ("include/weir/a.h", '#include "base/units.hpp"\n', "a public header includes only"),
]

failed = 0
for name, text, expected in CASES:
    with tempfile.TemporaryDirectory() as root:
        path = Path(root) / name
        path.parent.mkdir(parents=True)
        (Path(root) / "src").mkdir(exist_ok=True)
        path.write_text(text)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = layering.main(sys.argv[1], root)
    right = status == (1 if expected else 0) and expected in said.getvalue()
    failed += not right
    if not right:
        print(f"{name}: expected {expected!r}, got status {status}:\n{said.getvalue()}")
print(f"{len(CASES)} cases, {failed} failed")
sys.exit(1 if failed else 0)
