#!/usr/bin/env python3
"""Fails on an include that the room table does not allow, and names the line.

Usage: layering.py ROOMS_TXT SOURCE_ROOT    (rooms.txt is written by cmake/rooms.cmake: "room: used used ...")
"""
import re
import sys
from pathlib import Path

ENDINGS = {".cpp", ".hpp", ".h", ".c"}
# Third-party headers that live in one place each (docs/design/0002-rooms.md).
HOMES = {
    r"mpi\.h": ("capture", "workload", "launch", "proxy"),  # proxy: in the text that its programs begin with
    r"(hdf5|H5\w+)\.h": ("capture",),
    r"uc[pst]/.*": ("transport",),
    r"CLI/.*": ("cli",),
    r"spdlog/.*": ("base",),
    r"sqlite3\.h": ("campaign",),
    r"fuse.*\.h": ("burst",),
}


def read_table(path):
    uses = {}
    for line in Path(path).read_text().splitlines():
        room, _, rest = line.partition(":")
        if room.strip():
            uses[room.strip()] = set(rest.split())
    return uses


def reach(uses, room):
    """All rooms that `room` may include: what it uses, what those use, and base."""
    seen, todo = {"base", room}, list(uses.get(room, ()))
    while todo:
        used = todo.pop()
        if used not in seen:
            seen.add(used)
            todo += uses.get(used, ())
    return seen


def cycles(uses):
    for room, used in uses.items():
        for other in used:
            if other not in uses:
                yield f"cmake/rooms.cmake: {room} uses {other}, which is no room"
            elif room in reach(uses, other) - {other}:
                yield f"cmake/rooms.cmake: {room} and {other} use each other"


def broken_includes(uses, root):
    source = Path(root) / "src"
    for path in sorted(source.rglob("*")):
        if path.suffix not in ENDINGS:
            continue
        room = path.relative_to(source).parts[0]
        if room not in uses:
            yield f"{path.relative_to(root)}: src/{room} is not in cmake/rooms.cmake"
            continue
        allowed = reach(uses, room)
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
            if not found:
                continue
            header, place = found.group(1), f"{path.relative_to(root)}:{number}"
            other = header.split("/")[0]
            quoted = '"' in line
            if quoted and header.startswith("../"):
                yield f"{place}: write includes from src/, not with ..: {header}"
            elif quoted and other in uses and other not in allowed:
                yield f"{place}: room {room} may not use {other} ({header})"
            elif quoted and other in uses and other != room and "/detail/" in header:
                yield f"{place}: {header} is internal to {other}"
            for pattern, homes in HOMES.items():
                if not quoted and re.fullmatch(pattern, header) and room not in homes:
                    yield f"{place}: <{header}> belongs into {' or '.join(homes)}, not into {room}"


def public_headers(root):
    for path in sorted((Path(root) / "include").rglob("*.h*")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"(?!weir/)', line)
            if found:
                yield f"{path.relative_to(root)}:{number}: a public header includes only weir/ and the system's"


def main(table, root):
    uses = read_table(table)
    if not uses:
        print(f"{table}: no rooms")
        return 1
    problems = [*cycles(uses), *broken_includes(uses, root), *public_headers(root)]
    for problem in problems:
        print(problem)
    print(f"{len(uses)} rooms, {len(problems)} includes against the plan")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
