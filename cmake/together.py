#!/usr/bin/env python3
"""Groups sources that one compiler run can take together. Usage: together.py SRC OUT SOURCE...

Writes OUT/<n>.cpp, each of which includes up to eight of the sources by their names below SRC, and prints the list of
them. What sources define for themselves (everything starts in the first column, namespaces do not indent) decides who
may stand together: no two in a group use one name. A file that is already there with the same text is left alone.
"""
import os
import re
import sys

MOST = 8
root, out, sources = sys.argv[1], sys.argv[2], sys.argv[3:]

KIND = re.compile(r"^(?:template\s*<.*>\s*)?(?:struct|class|enum class|enum|union|concept)\s+(?:alignas\(.*?\)\s+)?(\w+)")
ALIAS = re.compile(r"^using\s+(\w+)\s*=")
FUNCTION = re.compile(r"^(?!TEST|INSTANTIATE|MATCHER|return\b|namespace\b)[\w:<>,&*\[\]\s.]*?(?<![:\w])(\w+)\(")
VALUE = re.compile(r"^(?:constexpr|constinit|const|inline|static|thread_local|std::|[A-Za-z])[^(]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|\{|;)")
MATCHER = re.compile(r"^MATCHER\w*\((\w+)")


def names_of(path):
    """The names that a source defines or borrows at namespace scope, and macros: more rather than fewer."""
    names = set()
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#define"):
                names.add(line.split()[1].split("(")[0])
            if not line[0].isalpha() or line.startswith(("namespace", "using namespace", "public:", "private:", "protected:")):
                continue
            if line.startswith("using ") and "=" not in line:
                continue  # said twice it means the same
            for pattern in (KIND, ALIAS, MATCHER, FUNCTION, VALUE):
                found = pattern.match(line)
                if found:
                    names.add(found.group(1))
                    break
    return names - {"main", "final", "override", "const", "noexcept", "namespace", "weir"}


def needs_its_own(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return re.search(r"^using namespace|^\s+using namespace (?!std::)|^#define\s+(_|[A-Z])|^#include\s+<mpi\.h>", text, re.MULTILINE) is not None


groups = []  # [sources, names]
for source in sorted(sources):
    names = names_of(source)
    place = None
    if not needs_its_own(source):
        place = next((group for group in groups if group[1] is not None and len(group[0]) < MOST
                      and os.path.dirname(group[0][0]) == os.path.dirname(source) and not group[1] & names), None)
        if place is None:
            groups.append(([], set()))
            place = groups[-1]
        place[1].update(names)
    else:
        groups.append(([], None))
        place = groups[-1]
    place[0].append(source)

os.makedirs(out, exist_ok=True)
for number, (members, _) in enumerate(groups):
    path = os.path.join(out, f"{number}.cpp")
    text = "".join(f'#include "{os.path.relpath(source, root)}"\n' for source in members)
    if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
print(";".join(os.path.join(out, f"{number}.cpp") for number in range(len(groups))), end="")
