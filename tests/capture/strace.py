#!/usr/bin/env python3
"""A trace holds what strace saw: the same calls, arguments, results and errors, in the same order on each thread.

Usage: strace.py WEIR PROGRAMS_DIR [PROGRAM...]

Each program is deterministic and runs twice in a directory of its own: under `strace -ff` and under `weir trace`.

What is compared: calls on files of the test directory, that is with a name in it, with a descriptor that is open on
one of its files, with memory mapped from one, and calls refused with EBADF or EFAULT or whose name cannot be read.
Descriptor numbers are compared as they are, addresses by their order, threads by the first call each makes (the
programs see to it that no two begin alike). strace shows the kernel's view, so libc's names become the kernel's (open
is openat, fstat is newfstatat with AT_EMPTY_PATH). Left out are, on both sides, other files (the loader's, the
program's own start, the terminal) and calls that are not about files (clone, execve, exit). The programs use no
stdio: stdio.py looks at that. A call on a file of the directory that this driver has no row for is an error, not left
out.
"""
import errno
import os
import re
import shutil
import stat
import sys
from pathlib import Path

from common import Checks, arguments, descriptor, dump, run, scratch_directory, skip_all, trace, verify

PROGRAMS = ["sequential", "strided", "random", "threads", "fork_exec", "append", "dup", "vectored", "mmap_io", "names",
            "between", "errors", "bad_pointers"]
AT_FDCWD, AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW = -100, 0x1000, 0x100
MAKES_FILE = os.O_CREAT | (os.O_TMPFILE & ~os.O_DIRECTORY)

# What strace prints of a call, argument by argument: f descriptor, d directory descriptor, p path, t text, n number,
# m mode after flags that make a file (absent otherwise), v vector (its lengths), o pointer to an offset, a address of
# mapped memory, T pair of times, and - what a trace does not keep.
KERNEL = {
    "openat": "dpnm", "creat": "pn", "close": "f", "dup": "f", "dup2": "fn", "dup3": "fnn", "fcntl": "fnn",
    "read": "f-n", "write": "f-n", "pread64": "f-nn", "pwrite64": "f-nn", "readv": "fvn", "writev": "fvn",
    "preadv": "fvnn", "pwritev": "fvnn", "preadv2": "fvnnn", "pwritev2": "fvnnn", "lseek": "fnn",
    "fsync": "f", "fdatasync": "f", "sync_file_range": "fnnn", "truncate": "pn", "ftruncate": "fn", "fallocate": "fnnn",
    "fadvise64": "fnnn", "flock": "fn", "mmap": "-nnnfn", "munmap": "an", "msync": "ann", "madvise": "ann",
    "sendfile": "ffon", "copy_file_range": "fofonn", "newfstatat": "dp-n", "fstat": "f-", "stat": "p-", "lstat": "p-",
    "statx": "dpnn-", "access": "pn", "faccessat2": "dpnn", "chmod": "pn", "fchmod": "fn", "unlink": "p", "unlinkat": "dpn",
    "rmdir": "p", "rename": "pp", "renameat": "dpdp", "renameat2": "dpdpn", "link": "pp", "linkat": "dpdpn",
    "symlink": "tp", "symlinkat": "tdp", "readlink": "p-n", "readlinkat": "dp-n", "mkdir": "pn", "mkdirat": "dpn",
    "mknodat": "dpn-", "utimensat": "dpTn", "chdir": "p", "fchdir": "f",
}

# What a trace calls it: the kernel's name and the arguments in its order, a word for one of the record's, a number for
# itself, '-' for one left out.
TRACED = {
    "open": ("openat", AT_FDCWD, "path", "flags", "mode"), "openat": ("openat", "dirfd", "path", "flags", "mode"),
    "creat": ("openat", AT_FDCWD, "path", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, "mode"),
    "close": ("close", "fd"), "dup": ("dup", "fd"), "dup2": ("dup2", "fd", "newfd"),
    "dup3": ("dup3", "fd", "newfd", "flags"), "fcntl": ("fcntl", "fd", "command", "value"),
    "read": ("read", "fd", "-", "count"), "write": ("write", "fd", "-", "count"),
    "pread": ("pread64", "fd", "-", "count", "offset"), "pwrite": ("pwrite64", "fd", "-", "count", "offset"),
    "readv": ("readv", "fd", "iov", "iovcnt"), "writev": ("writev", "fd", "iov", "iovcnt"),
    "preadv": ("preadv", "fd", "iov", "iovcnt", "offset"), "pwritev": ("pwritev", "fd", "iov", "iovcnt", "offset"),
    "preadv2": ("preadv2", "fd", "iov", "iovcnt", "offset", "flags"),
    "pwritev2": ("pwritev2", "fd", "iov", "iovcnt", "offset", "flags"), "lseek": ("lseek", "fd", "offset", "whence"),
    "fsync": ("fsync", "fd"), "fdatasync": ("fdatasync", "fd"),
    "sync_file_range": ("sync_file_range", "fd", "offset", "length", "flags"), "truncate": ("truncate", "path", "length"),
    "ftruncate": ("ftruncate", "fd", "length"), "fallocate": ("fallocate", "fd", "mode", "offset", "length"),
    "posix_fallocate": ("fallocate", "fd", 0, "offset", "length"),
    "posix_fadvise": ("fadvise64", "fd", "offset", "length", "advice"), "flock": ("flock", "fd", "operation"),
    "mmap": ("mmap", "-", "length", "protection", "flags", "fd", "offset"), "munmap": ("munmap", "addr", "length"),
    "msync": ("msync", "addr", "length", "flags"), "madvise": ("madvise", "addr", "length", "advice"),
    "sendfile": ("sendfile", "out_fd", "in_fd", "offset", "count"),
    "copy_file_range": ("copy_file_range", "in_fd", "in_offset", "out_fd", "out_offset", "count", "flags"),
    "stat": ("newfstatat", AT_FDCWD, "path", "-", 0), "lstat": ("newfstatat", AT_FDCWD, "path", "-", AT_SYMLINK_NOFOLLOW),
    "fstat": ("newfstatat", "fd", b"", "-", AT_EMPTY_PATH), "fstatat": ("newfstatat", "dirfd", "path", "-", "flags"),
    "statx": ("statx", "dirfd", "path", "flags", "mask", "-"), "access": ("access", "path", "mode"),
    "faccessat": ("faccessat2", "dirfd", "path", "mode", "flags"), "chmod": ("chmod", "path", "mode"),
    "fchmod": ("fchmod", "fd", "mode"), "unlink": ("unlink", "path"), "unlinkat": ("unlinkat", "dirfd", "path", "flags"),
    "rmdir": ("rmdir", "path"), "rename": ("rename", "path", "newpath"),
    "renameat": ("renameat", "dirfd", "path", "newdirfd", "newpath"),
    "renameat2": ("renameat2", "dirfd", "path", "newdirfd", "newpath", "flags"), "link": ("link", "path", "newpath"),
    "linkat": ("linkat", "dirfd", "path", "newdirfd", "newpath", "flags"), "symlink": ("symlink", "target", "path"),
    "symlinkat": ("symlinkat", "target", "dirfd", "path"), "readlink": ("readlink", "path", "-", "size"),
    "readlinkat": ("readlinkat", "dirfd", "path", "-", "size"), "mkdir": ("mkdir", "path", "mode"),
    "mkdirat": ("mkdirat", "dirfd", "path", "mode"), "mkfifo": ("mknodat", AT_FDCWD, "path", "mode"),
    "utimensat": ("utimensat", "dirfd", "path", "times", "flags"), "futimens": ("utimensat", "fd", None, "times", 0),
    "chdir": ("chdir", "path"), "fchdir": ("fchdir", "fd"),
}
# Calls that are not about a file, or made while there is none of the directory behind them.
ELSEWHERE = {"fork", "vfork", "execv", "execve", "execl", "_exit", "umask", "pipe"}
RETURNS_ERROR = {"posix_fallocate", "posix_fadvise"}  # in place of setting errno
NOT_READABLE = "<not readable>"
LONGEST = 4095  # bytes of a name that strace looks at


class Mapped:
    """Gives addresses of mapped files names by their order, as they differ from run to run."""

    def __init__(self):
        self.names = {}

    def add(self, address, length):
        self.names[address] = (f"<mapping {len(self.names)}>", length)
        return self.names[address][0]

    def name(self, address):
        for start, (name, length) in self.names.items():
            if 0 <= address - start < length:
                return name if address == start else f"{name}+{address - start}"
        return None


def in_directory(name, directory):
    return name is not None and (not name.startswith("/") or name == directory or name.startswith(directory + "/"))


# --- strace ---

def split_arguments(text):
    """The arguments of a line of strace, cut at commas outside brackets and strings."""
    found, depth, start, quoted = [], 0, 0, False
    for at, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif not quoted:
            depth += (letter in "([{<") - (letter in ")]}>" and text[at - 1] != "=")
            if letter == "," and depth == 0:
                found.append(text[start:at].strip())
                start = at + 1
    return found + [text[start:].strip()] if text else []


def number(text):
    text = text.split("<")[0].split(" ")[0]
    if re.fullmatch(r"0[0-7]+", text):
        return int(text, 8)
    value = int(text, 0) if text else 0  # strace 6.1 prints nothing for statx's AT_STATX_SYNC_AS_STAT
    return value - 2**64 if value >= 2**63 else value  # strace prints a negative length as a large one


def unhexed(text):
    return bytes.fromhex(text.replace("\\x", "").removesuffix('"...')).decode("utf-8", "surrogateescape")


def strace_argument(kind, text, flags):
    if kind in "fdn":
        return number(text) if text != "NULL" else None
    if kind == "m":
        return number(text) if flags & MAKES_FILE else None
    if kind in "pt":
        return unhexed(text.strip('"')) if text.startswith('"') else None if text == "NULL" else NOT_READABLE
    if kind in "voT" and text.startswith("0x"):
        return NOT_READABLE
    if kind == "v":
        return [int(length) for length in re.findall(r"iov_len=(\d+)", text)]
    if kind == "o":
        return None if text == "NULL" else int(re.match(r"\[(-?\d+)\]", text).group(1))
    if kind == "T":
        return [int(s) * 10**9 + int(ns) for s, ns in re.findall(r"tv_sec=(\d+), tv_nsec=(\d+)", text)]
    return None


def kernel_call(line, directory, mapped):
    """One line of strace as (name, arguments, result, errno), or None if it is not about the directory."""
    parts = re.fullmatch(r"(\w+)\((.*)\) += (.+)", line)
    if not parts:
        return None
    name, arguments_text, result_text = parts.groups()
    texts = split_arguments(arguments_text)
    failed = re.match(r"-1 (E\w+)", result_text)
    names = [unhexed(name) for name in re.findall(r"<((?:\\x..)+)>", arguments_text)]
    kinds = KERNEL.get(name)
    if kinds is None:
        ours = name != "getcwd" and any(in_directory(n, directory) for n in names)
        if ours:
            raise RuntimeError(f"no row for {line}")
        return None
    paths = [strace_argument(k, t, 0) for k, t in zip(kinds, texts) if k == "p"]
    named = [path for path in paths if path not in (None, "", NOT_READABLE)]
    opened = [unhexed(n) for k, t in zip(kinds, texts) if k in "f" or (k == "d" and paths and paths[0] in ("", None))
              for n in re.findall(r"<((?:\\x..)+)>", t)]
    address = mapped.name(int(texts[0], 0)) if kinds[0] == "a" else None
    if not (any(in_directory(path, directory) for path in named) or any(in_directory(n, directory) for n in opened)
            or NOT_READABLE in paths or address or (failed and failed.group(1) in ("EBADF", "EFAULT"))):
        return None
    flags = number(texts[2]) if name == "openat" else 0
    values = []
    for at, kind in enumerate(kinds):
        if kind == "-":
            continue
        if at >= len(texts):
            values.append(None)
        else:
            values.append(address if kind == "a" else strace_argument(kind, texts[at], flags))
    result = -1 if failed else number(result_text)
    if name == "mmap" and not failed:
        result = mapped.add(result, number(texts[1]))
    if name == "creat":
        name, values = "openat", [AT_FDCWD, values[0], os.O_CREAT | os.O_WRONLY | os.O_TRUNC, values[1]]
    return name, values, result, failed.group(1) if failed else None


def seen_by_strace(prefix, directory):
    """The calls of each thread, as (name, arguments, result, errno)."""
    threads = []
    for path in sorted(prefix.parent.glob(prefix.name + ".*")):
        mapped = Mapped()
        calls = [kernel_call(line.rstrip("\n"), directory, mapped) for line in path.open()]
        threads.append([call for call in calls if call])
    return threads


# --- weir ---

def traced_argument(word, record, mapped):
    if not isinstance(word, str):
        return word.decode() if isinstance(word, bytes) else word
    if word not in record["arguments"]:
        return NOT_READABLE
    value = descriptor(record["arguments"][word])
    if isinstance(value, str):
        return value[:LONGEST]
    return mapped.name(value) if word == "addr" else value


def traced_call(record, directory, mapped):
    name, given = record["function"], record["arguments"]
    if name in ELSEWHERE:
        return None
    files = [record["file"]] + [value["name"] for value in given.values() if isinstance(value, dict)]
    address = mapped.name(given["addr"]) if name in ("munmap", "msync", "madvise") else None
    unreadable = any(word in ("path", "newpath") and word not in given for word in TRACED.get(name, ()))
    if not (any(f is not None and in_directory(f, directory) for f in files) or address or unreadable
            or record["errno"] in ("EBADF", "EFAULT")):
        return None
    if name not in TRACED:
        raise RuntimeError(f"no row for {record}")
    kernel, *words = TRACED[name]
    values = [traced_argument(word, record, mapped) for word in words if word != "-"]
    if kernel == "openat" and not values[2] & MAKES_FILE:
        values[3] = None
    if kernel == "fcntl" and len(values) == 3 and record["arguments"]["command"] in (1, 3):  # F_GETFD, F_GETFL take none
        values[2] = None
    if name == "mkfifo":
        values[2] |= stat.S_IFIFO
    result, error = descriptor(record["result"]), record["errno"]
    if name in RETURNS_ERROR and result:
        result, error = -1, errno.errorcode[result]
    if name == "mmap":
        result = mapped.add(result, given["length"]) if error is None else -1
    return kernel, values, result, error


def seen_by_weir(weir, out, directory):
    """As seen_by_strace(). A program that another replaced on the same thread is one thread with it, as for strace."""
    threads = {}
    records = dump(weir, out)
    next(records)
    for record in records:
        mapped, calls = threads.setdefault(record["thread"], (Mapped(), []))
        call = traced_call(record, directory, mapped)
        if call:
            calls.append(call)
    return [calls for _, calls in threads.values()]


def first_difference(seen, wanted):
    for at in range(max(len(seen), len(wanted))):
        ours, theirs = seen[at] if at < len(seen) else "nothing", wanted[at] if at < len(wanted) else "nothing"
        if ours != theirs:
            return f"call {at}: weir {ours}, strace {theirs}"
    return ""


def by_first_call(threads, who, checks):
    found = {}
    for calls in threads:
        if calls:
            key = repr(calls[0][:2])
            checks.expect(f"{who}: one thread begins with {key}", key not in found) if key in found else None
            found[key] = calls
    return found


def compare(weir, program, checks):
    with scratch_directory() as scratch:
        scratch = Path(scratch)
        for name in ("strace", "weir"):
            (scratch / name).mkdir()
        done = run(["strace", "-ff", "-y", "-xx", "-X", "raw", "-s", "70000", "-o", scratch / "calls", program],
                   cwd=scratch / "strace")
        traced = trace(weir, scratch / "trace", [program], cwd=scratch / "weir")
        name = program.name
        checks.equal(f"{name}: same status", (traced.returncode, traced.stdout), (done.returncode, done.stdout))
        problem = verify(weir, scratch / "trace")
        checks.expect(f"{name}: verifies", not problem, problem)
        wanted = by_first_call(seen_by_strace(scratch / "calls", str(scratch / "strace")), "strace", checks)
        seen = by_first_call(seen_by_weir(weir, scratch / "trace", str(scratch / "weir")), "weir", checks)
        checks.equal(f"{name}: same {len(wanted)} threads", sorted(seen), sorted(wanted))
        for key, calls in wanted.items():
            if key in seen:
                difference = first_difference(seen[key], calls)
                checks.expect(f"{name}: same {len(calls)} calls after {key}", not difference, difference)


def main():
    given = arguments(__doc__.strip(), ("only", dict(nargs="*")))
    if not shutil.which("strace"):
        skip_all("strace is not installed")
    probe = run(["strace", "-o", "/dev/null", "true"])
    if probe.returncode != 0:
        skip_all(f"strace may not trace here: {probe.stderr.decode().strip().splitlines()[-1:]}")
    checks = Checks()
    for name in given.only or PROGRAMS:
        try:
            compare(given.weir, given.programs / name, checks)
        except (RuntimeError, OSError) as error:
            checks.expect(f"{name}: can be compared", False, str(error))
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
