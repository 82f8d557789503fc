#!/usr/bin/env python3
"""Nothing a file program can import from the C library is missing in the tables.

usage: exports.py NM CC LIBC LEFT_OUT EXPORTS...

A name the C library exports is suspect if a header declares it with a path, a descriptor, a stream or a
directory, if it is a twin or a fortified shape of a name in the tables, or if it sounds like one. Every suspect
is in the tables (EXPORTS) or in LEFT_OUT, with a reason. Exit 77, skipped, with a C library other than the
one the lists were made for.
"""
import fnmatch
import re
import subprocess
import sys

MADE_FOR = "2.36"

# Headers of libc6-dev that declare functions; each is read by itself, as some exclude each other.
HEADERS = """aio.h aliases.h argp.h argz.h assert.h complex.h cpio.h crypt.h ctype.h dirent.h dlfcn.h endian.h
envz.h err.h errno.h error.h execinfo.h fcntl.h fenv.h fmtmsg.h fnmatch.h fstab.h fts.h ftw.h gconv.h getopt.h
glob.h grp.h gshadow.h iconv.h ifaddrs.h inttypes.h langinfo.h lastlog.h libgen.h libintl.h limits.h link.h
locale.h malloc.h mcheck.h memory.h mntent.h monetary.h mqueue.h netdb.h nl_types.h nss.h obstack.h paths.h poll.h
printf.h pthread.h pty.h pwd.h regex.h resolv.h sched.h search.h semaphore.h setjmp.h sgtty.h shadow.h signal.h
spawn.h stdio.h stdio_ext.h stdlib.h string.h strings.h sys/acct.h sys/auxv.h sys/epoll.h sys/eventfd.h
sys/fanotify.h sys/file.h sys/fsuid.h sys/inotify.h sys/io.h sys/ioctl.h sys/ipc.h sys/klog.h sys/mman.h
sys/mount.h sys/msg.h sys/personality.h sys/pidfd.h sys/poll.h sys/prctl.h sys/ptrace.h sys/quota.h sys/random.h
sys/reboot.h sys/resource.h sys/select.h sys/sem.h sys/sendfile.h sys/shm.h sys/signalfd.h sys/socket.h
sys/stat.h sys/statfs.h sys/statvfs.h sys/swap.h sys/syscall.h sys/sysinfo.h sys/syslog.h sys/sysmacros.h
sys/time.h sys/timeb.h sys/timerfd.h sys/times.h sys/timex.h sys/types.h sys/uio.h sys/un.h sys/unistd.h
sys/utsname.h sys/vfs.h sys/wait.h sys/xattr.h syslog.h termios.h threads.h time.h tgmath.h ttyent.h uchar.h
ucontext.h unistd.h utime.h utmp.h utmpx.h wait.h wchar.h wctype.h wordexp.h""".split()

ON_FILES = re.compile(
    r"\b(FILE|DIR|FTS)\s*\*"
    r"|\bint\s+_*\w*(fd|fildes)(in|out|[12])?\s*[,)]"
    r"|\bconst char\s*\*\s*(__restrict\s+)?_*(file|path|filename|pathname|fname|from|old|dir|from_path|pattern)\w*\b"
    r"|\bchar\s*\*\s*_*template\b")

SOUNDS_LIKE_FILES = re.compile(
    r"open|close|^creat|pipe|socket|accept|fd$|stat(x|v?fs)?(64)?$|dir|link|mount|sync|trunc|chmod|chown|access"
    r"|exec[lv]|spawn|fork|clone|syscall|temp|tmp(file|nam)|readv?(64)?$|writev?(64)?$|seek|m(re)?map|sendfile|splice")

# Families that sound so and have no file in them.
OTHER = re.compile(r"^_*(pthread|thrd|str|wcs|mem|wmem|xdr|clnt|svc|res|ns|nss|mbs|sched)_?")

# __open64_2, _IO_fopen, __fread_unlocked_chk: what is left of them are the names in the tables.
SHAPE = re.compile(r"^(?:__isoc99_|__|_IO_)|(?:_chk|_2|_unlocked|_r|64)+$")


def run(*command, text_in=None):
    return subprocess.run(command, input=text_in, text=True, capture_output=True, check=True).stdout


def exported(nm, libc):
    """Names a program can still be linked against: in a public version, and the default one."""
    names = set()
    for line in run(nm, "-D", "--defined-only", libc).splitlines():
        kind, symbol = line.split()[-2:]
        name, _, version = symbol.partition("@@")
        if kind in "TWi" and version and version != "GLIBC_PRIVATE":
            names.add(name)
    return names


def prototypes(compiler):
    """Name and text of every function the headers declare."""
    found = {}
    for header in HEADERS:
        source = f"#include <{header}>\n"
        flags = ["-E", "-P", "-D_GNU_SOURCE", "-D_LARGEFILE64_SOURCE", "-x", "c", "-"]
        done = subprocess.run([compiler, *flags], input=source, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            continue
        text = re.sub(r"__attribute__ *\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)", " ", done.stdout)
        for declaration in text.split(";"):
            match = re.search(r"(\w+) *\(", declaration)
            if match and "{" not in declaration and "typedef" not in declaration:
                found.setdefault(match[1], " ".join(declaration.split()))
    return found


def left_out(path):
    """One name or a few per line, then ': ' and the reason; * stands for the rest of a family's names."""
    reasons = {}
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            names, _, reason = line.partition(": ")
            if not reason.strip():
                sys.exit(f"{path}: no reason in '{line.strip()}'")
            reasons.update(dict.fromkeys(names.split(), reason.strip()))
    return reasons


def main():
    nm, compiler, libc, left_out_path, *export_lists = sys.argv[1:]
    version = re.search(r"__GLIBC__ (\d+)\n.*__GLIBC_MINOR__ (\d+)", run(
        compiler, "-E", "-dM", "-x", "c", "-", text_in="#include <features.h>\n"), re.S)
    if version is None or f"{version[1]}.{version[2]}" != MADE_FOR:
        print(f"the lists were made for glibc {MADE_FOR}; nothing is compared with another one")
        return 77
    names = exported(nm, libc)
    tables = {line.strip() for path in export_lists for line in open(path, encoding="ascii")}
    reasons = left_out(left_out_path)
    left = {name: [p for p in reasons if fnmatch.fnmatchcase(name, p)] for name in names}
    declared = prototypes(compiler)
    wrong = [f"{name}: in the tables, but the C library does not export it" for name in sorted(tables - names)]
    suspects = {}
    for name in names:
        if name in declared and ON_FILES.search(declared[name]):
            suspects[name] = declared[name]
        elif SHAPE.search(name) and {SHAPE.sub("", name), re.sub("^_+", "", name)} & tables:
            suspects[name] = "sounds like a shape of another"
        elif SOUNDS_LIKE_FILES.search(name) and not OTHER.search(name):
            suspects[name] = declared.get(name, "sounds like it")
    for name in sorted(suspects.keys() - tables):
        if not left[name]:
            wrong.append(f"{name}: neither in the tables nor left out with a reason: {suspects[name]}")
    wrong += [f"{name}: left out, and in the tables" for name in sorted(tables & reasons.keys())]
    used = {pattern for name in names - tables for pattern in left[name]}
    wrong += [f"{pattern}: left out, but the C library exports no such name" for pattern in sorted(reasons.keys() - used)]
    if wrong:
        print("\n".join(wrong))
    else:
        count = sum(1 for name in names - tables if left[name])
        print(f"glibc {MADE_FOR} exports {len(names)} functions, {len(declared.keys() & names)} with a prototype; "
              f"{len(suspects)} have to do with files: {len(tables)} names are in the tables, "
              f"{count} are left out with a reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
