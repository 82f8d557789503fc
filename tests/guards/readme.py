#!/usr/bin/env python3
"""Every command that the documents show exists: scripts are there, `weir` commands and flags are known.

Usage: readme.py ROOT WEIR
Reads the fenced code blocks of README.md, CONTRIBUTING.md and docs/guide/.
"""
import re
import shlex
import subprocess
import sys
from pathlib import Path

root, weir = Path(sys.argv[1]), sys.argv[2]
documents = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs/guide").glob("*.md"))]
problems, seen = [], 0


def help_of(command):
    return subprocess.run([weir, command, "--help"], capture_output=True, text=True)


def check_weir(words, place):
    command = next((w for w in words if not w.startswith("-")), None)
    if command is None:
        known = subprocess.run([weir, "--help"], capture_output=True, text=True).stdout
        problems.extend(f"{place}: weir has no {w}" for w in words if w not in known)
        return
    page = help_of(command)
    if page.returncode != 0:
        problems.append(f"{place}: there is no command 'weir {command}'")
        return
    for word in words:
        if word == "--":
            break
        flag = word.split("=")[0]
        if re.fullmatch(r"--[a-z][a-z0-9-]*", flag) and not re.search(re.escape(flag) + r"\b", page.stdout):
            problems.append(f"{place}: weir {command} has no {flag}")


for document in documents:
    inside = False
    for number, line in enumerate(document.read_text().splitlines(), 1):
        if line.startswith("```"):
            inside = not inside
            continue
        if not inside:
            continue
        place = f"{document.relative_to(root)}:{number}"
        text = re.sub(r"^\$ ", "", line.strip()).split(" #")[0].split(" | ")[0].split(" > ")[0]
        try:
            words = shlex.split(text)
        except ValueError:
            continue
        if not words:
            continue
        if words[0] == "weir" and len(words) > 1 and not words[1].endswith(":"):
            seen += 1
            check_weir(words[1:], place)
        elif words[0].startswith(("scripts/", "tests/", "bench/")):
            seen += 1
            if not (root / words[0]).exists():
                problems.append(f"{place}: {words[0]} does not exist")

if not (root / "README.md").read_text().count("scripts/demo") or not (root / "README.md").read_text().count("scripts/test"):
    problems.append("README.md: must name scripts/demo and scripts/test")
for problem in problems:
    print(problem)
print(f"{seen} commands shown, {len(problems)} of them wrong")
sys.exit(1 if problems or seen == 0 else 0)
