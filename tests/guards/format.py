#!/usr/bin/env python3
"""Every C and C++ file is as clang-format-16 leaves it. Usage: format.py ROOT [--fix]"""
import shutil
import subprocess
import sys

from sources import project_files

root = sys.argv[1]
tool = shutil.which("clang-format-16")
if tool is None:
    print("skipped: clang-format-16 is missing; scripts/setup test installs it")
    sys.exit(77)
files = project_files(root, (".cpp", ".hpp", ".c", ".h"))
mode = ["-i"] if "--fix" in sys.argv else ["--dry-run", "--Werror"]
done = subprocess.run([tool, *mode, *files], cwd=root)
if done.returncode:
    print(f"to mend: python3 tests/guards/format.py . --fix")
sys.exit(1 if done.returncode else 0)
