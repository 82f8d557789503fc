"""Each call of a file system by itself, and programs with environments of their own: the same as on a plain directory."""
import difflib
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import Checks, Directory  # noqa: E402

STARTS = """
import fcntl, os, subprocess, sys
os.chdir(sys.argv[1])
UMASK = os.umask(0o22); os.umask(UMASK)
open('a', 'w').write('a')
subprocess.run([sys.executable, '-c', "open('a', 'a').write('b'); open('made', 'w').write('c')"], env={}, check=True)
subprocess.run(['env', '-i', 'sh', '-c', 'cat a > copy'], check=True)
assert open('copy').read() == 'ab', open('copy').read()
os.posix_spawn('/bin/sh', ['sh', '-c', 'cat copy made > spawned'], {})
os.wait()
assert open('spawned').read() == 'abc'
held = open('held', 'w'); fcntl.lockf(held, fcntl.LOCK_EX)
subprocess.run(['echo', 'under a lock'], stdout=held, check=True, timeout=60); held.close()
assert open('held').read() == 'under a lock\\n'
os.mkdir('sub')
subprocess.run(['sh', '-c', 'echo inner > log'], cwd='sub', umask=0o77, check=True)
subprocess.run(['sh', '-c', 'cp /bin/echo sub/program'], cwd=os.getcwd(), check=True)
assert subprocess.run(['./program', 'ran'], cwd='sub', capture_output=True, check=True).stdout == b'ran\\n'
subprocess.run(['true'], cwd='/', check=True)
open('log', 'w').write('outer')
assert open('sub/log').read() == 'inner\\n' and os.stat('log').st_mode & 0o777 == 0o666 & ~UMASK, oct(os.stat('log').st_mode)
"""


# Threads that open and close while another thread goes over all open files.
THREADS = """
import os, sys, threading
os.chdir(sys.argv[1])
def use(who):
    for i in range(600):
        fd = os.open(f'{who}{i % 7}', os.O_RDWR | os.O_CREAT, 0o600)
        os.write(fd, b'text')
        os.close(fd)
all = [threading.Thread(target=use, args=(who,)) for who in 'abc']
for one in all: one.start()
turns = 0
while any(one.is_alive() for one in all):
    os.sync()
    turns += 1
    if turns % 50 == 0 and os.fork() == 0: os._exit(0)
for one in all: one.join()
assert {os.stat(f'{who}{i}').st_size for who in 'abc' for i in range(7)} == {4}
"""

# Threads that write to both descriptors of one description, as a shell makes them with "> log 2>&1".
LINES = """
import os, threading
def write(fd):
    for i in range(1500): os.write(fd, b'%d %06d\\n' % (fd, i))
both = [threading.Thread(target=write, args=(fd,)) for fd in (1, 2)]
for one in both: one.start()
for one in both: one.join()
"""

# What a weak model may show otherwise: a time of modification is the publication's; under session a process that has the
# file open does not see what its child wrote, through a descriptor of its own or an inherited one.
LATE_TIME = ("  writing modifies 1", "  writing modifies 0")
ALLOWED = {
    "posix": (),
    "commit": (LATE_TIME,),
    "session": (LATE_TIME,
                ("  content 20:onetwosixchildparent", "  content 20:onetwosix\\00\\00\\00\\00\\00parent"),
                ("  content 30:parent child child childshell\\0a", "  content 6:parent"),
                ("  content 35:start inherited inherited inherited", "  content 5:start")),
}


def same_lines(checks, what, seen, wanted, allowed=()):
    seen, wanted = seen.splitlines(), wanted.splitlines()
    if len(seen) == len(wanted):
        seen = [plain if (plain, weir) in allowed else weir for plain, weir in zip(wanted, seen)]
    differing = [line for line in difflib.unified_diff(wanted, seen, "plain", "weir", lineterm="", n=1)]
    checks.expect(what, not differing, "\n" + "\n".join(differing[:60]))


def flushed_links(checks, weir):
    """Names of one file are links in the directory when the run is over; the step after finds them as such."""
    with Directory(weir) as there:
        (there.path / "old").write_text("old")
        done = there.run(["sh", "-c", "cd $1; echo 1 > a; ln a b; echo 2 >> b; mkdir d; ln b d/c; ln -s a s; ln old older", "sh",
                          there.path])
        checks.equal("links are made", (done.returncode, done.stderr if done.returncode else ""), (0, ""))
        names = [there.path / name for name in ("a", "b", "d/c")]
        checks.equal("and flushed as links", (len({name.stat().st_ino for name in names}), names[0].stat().st_nlink,
                                              names[2].read_text()), (1, 3, "1\n2\n"))
        checks.equal("of files that were there too", (there.path / "older").stat().st_nlink, 2)


def main():
    weir, *programs = sys.argv[1:]
    checks = Checks()
    for program in programs:
        name = Path(program).name
        with Directory(weir) as plain:
            bare = subprocess.run([program, plain.path], capture_output=True, text=True, timeout=120, check=False)
        checks.equal(f"{name} on a plain directory", bare.returncode, 0)
        for consistency, servers in (("posix", 1), ("posix", 2), ("commit", 1), ("session", 1)):
            with Directory(weir) as there:
                done = there.run([program, there.path], "--local", servers, consistency=consistency)
                checks.equal(f"{name} under {consistency}, {servers} servers", (done.returncode, "lost" in done.stderr),
                             (0, False))
                same_lines(checks, f"what {name} gave under {consistency}, {servers} servers", done.stdout, bare.stdout,
                           ALLOWED[consistency])
    flushed_links(checks, weir)
    for consistency in ("posix", "session"):
        with Directory(weir) as there:
            done = there.run([sys.executable, "-c", THREADS, there.path], consistency=consistency)
            checks.equal(f"threads that open and close under {consistency}", (done.returncode, done.stderr
                         if done.returncode else ""), (0, ""))
        with Directory(weir) as there:
            done = there.run(["sh", "-c", 'exec "$@" > "$0" 2>&1', there.path / "log", sys.executable, "-c", LINES],
                             consistency=consistency)
            lines = (there.path / "log").read_text().splitlines()
            wanted = [f"{fd} {i:06d}" for fd in (1, 2) for i in range(1500)]
            checks.equal(f"two threads and one position under {consistency}", (done.returncode, len(lines), sorted(lines) == wanted),
                         (0, 3000, True))
        with Directory(weir) as there:
            done = there.run([sys.executable, "-c", STARTS, there.path], consistency=consistency)
            checks.equal(f"programs with an environment of their own under {consistency}", (done.returncode, done.stderr
                         if done.returncode else ""), (0, ""))
            checks.equal("and what they wrote", [(there.path / n).read_text() for n in ("a", "made", "spawned", "log", "sub/log")],
                         ["ab", "c", "abc", "outer", "inner\n"])
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
