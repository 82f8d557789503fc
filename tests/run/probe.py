"""Two processes, on one node or on two, see of each other's files what they would see on a local file system.

Every check runs on a plain directory first and then on the burst-buffer file system under posix: both must give what
is expected."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import Agent, Checks, Directory  # noqa: E402


class Probe:
    def __init__(self, a, b, folder):
        self.a, self.b, self.folder = a, b, folder

    def path(self, name):
        return str(self.folder / name)

    def open(self, agent, variable, name, flags="os.O_RDWR | os.O_CREAT"):
        return agent.do(f"{variable} = os.open({self.path(name)!r}, {flags}, 0o644)")


def read_after_close(p):
    p.open(p.a, "f", "close")
    p.a.do("os.write(f, b'x' * 5000)")
    p.a.do("os.close(f)")
    return p.b.do(f"open({p.path('close')!r}, 'rb').read() == b'x' * 5000"), True


def strong_read(p):
    p.open(p.a, "f", "strong")
    p.open(p.b, "f", "strong")
    p.a.do("os.pwrite(f, b'first', 0)")
    first = p.b.do("os.pread(f, 100, 0)")
    p.a.do("os.pwrite(f, b'then!', 0)")
    return [first, p.b.do("os.pread(f, 100, 0)")], [b"first", b"then!"]


def read_of_two_owners(p):
    p.open(p.a, "f", "owners")
    p.open(p.b, "f", "owners")
    p.a.do("os.pwrite(f, b'a' * 4000, 0)")
    p.b.do("os.pwrite(f, b'b' * 4000, 3000)")
    whole = "os.pread(f, 9000, 0) == b'a' * 3000 + b'b' * 4000"
    return [p.a.do(whole), p.b.do(whole)], [True, True]


def last_write_wins(p):
    p.open(p.a, "f", "wins")
    p.open(p.b, "f", "wins")
    p.a.do("os.pwrite(f, b'aaaaaaaa', 0)")
    p.b.do("os.pwrite(f, b'bbbb', 2)")
    p.a.do("os.pwrite(f, b'cc', 3)")
    return p.b.do("os.pread(f, 100, 0)"), b"aabccbaa"


def append_in_turn(p):
    for agent in (p.a, p.b):
        p.open(agent, "f", "turn", "os.O_WRONLY | os.O_CREAT | os.O_APPEND")
    for agent, text in ((p.a, b"one "), (p.b, b"two "), (p.a, b"three")):
        agent.do(f"os.write(f, {text!r})")
    return p.b.do(f"open({p.path('turn')!r}, 'rb').read()"), b"one two three"


def append_at_once(p):
    p.a.tell(f"append({p.path('at_once')!r}, 300, b'a')")
    p.b.tell(f"append({p.path('at_once')!r}, 300, b'b')")
    p.a.hear()
    p.b.hear()
    lines = p.a.do(f"open({p.path('at_once')!r}).read().splitlines()")
    expected = sorted(f"{mark}{i:06d}" for mark in "ab" for i in range(300))
    return [sorted(lines) == expected, [line for line in lines if line[0] == "a"] == expected[:300]], [True, True]


def rename_is_seen(p):
    p.open(p.a, "f", "old")
    p.a.do("os.write(f, b'text')")
    p.a.do("os.close(f)")
    p.a.do(f"os.rename({p.path('old')!r}, {p.path('new')!r})")
    return [p.b.do(f"os.path.exists({p.path('old')!r})"), p.b.do(f"open({p.path('new')!r}).read()")], [False, "text"]


def rename_over_an_open_file(p):
    for name, text in (("over", b"before"), ("instead", b"after")):
        p.open(p.a, "f", name)
        p.a.do(f"os.write(f, {text!r})")
        p.a.do("os.close(f)")
    p.open(p.b, "f", "over", "os.O_RDONLY")
    p.a.do(f"os.rename({p.path('instead')!r}, {p.path('over')!r})")
    return [p.b.do("os.pread(f, 100, 0)"), p.b.do(f"open({p.path('over')!r}, 'rb').read()")], [b"before", b"after"]


def readdir_sees_new_names(p):
    p.a.do(f"os.mkdir({p.path('listed')!r})")
    for agent, name in ((p.a, "x"), (p.b, "y")):
        p.open(agent, "f", f"listed/{name}")
    seen = [agent.do(f"sorted(os.listdir({p.path('listed')!r}))") for agent in (p.a, p.b)]
    p.b.do(f"os.unlink({p.path('listed/x')!r})")
    return [*seen, p.a.do(f"os.listdir({p.path('listed')!r})")], [["x", "y"], ["x", "y"], ["y"]]


def mapping_is_seen_after_msync(p):
    p.open(p.a, "f", "mapped")
    p.a.do("os.write(f, b'.' * 10000)")
    p.open(p.b, "f", "mapped")
    p.a.do("map_and_write(f, 5000, b'mapped')")
    return p.b.do("os.pread(f, 8, 4999)"), b".mapped."


def unlinked_file_lives_while_open(p):
    p.open(p.a, "f", "unlinked")
    p.a.do("os.write(f, b'still')")
    p.open(p.b, "f", "unlinked")
    p.a.do(f"os.unlink({p.path('unlinked')!r})")
    p.a.do("os.close(f)")
    p.b.do("os.pwrite(f, b' here', 5)")
    return [p.b.do("os.pread(f, 100, 0)"), p.b.do(f"os.path.exists({p.path('unlinked')!r})")], [b"still here", False]


def truncate_down(p):
    p.open(p.a, "f", "down")
    p.a.do("os.write(f, b'0123456789')")
    p.open(p.b, "f", "down")
    p.a.do("os.ftruncate(f, 4)")
    return [p.b.do("os.pread(f, 100, 0)"), p.b.do("os.fstat(f).st_size")], [b"0123", 4]


def truncate_up(p):
    p.open(p.a, "f", "up")
    p.a.do("os.write(f, b'0123456789')")
    p.a.do("os.ftruncate(f, 4)")
    p.open(p.b, "f", "up")
    p.b.do(f"os.truncate({p.path('up')!r}, 8)")
    return p.a.do("os.pread(f, 100, 0)"), b"0123\0\0\0\0"


def holes_are_zeros(p):
    p.open(p.a, "f", "hole")
    p.a.do("os.pwrite(f, b'end', 1 << 20)")
    p.open(p.b, "f", "hole")
    return [p.b.do("os.pread(f, 4, (1 << 20) - 2)"), p.b.do("os.pread(f, 1 << 20, 0) == bytes(1 << 20)")], [
        b"\0\0en", True]


def duplicates_share_the_position(p):
    p.open(p.a, "f", "dup")
    p.a.do("g = os.dup(f)")
    p.a.do("os.write(f, b'one')")
    p.a.do("os.write(g, b'two')")
    p.a.do("os.close(f)")
    p.a.do("os.write(g, b'six')")
    return p.b.do(f"open({p.path('dup')!r}).read()"), "onetwosix"


def children_share_the_position(p):
    p.open(p.a, "f", "fork")
    p.a.do("os.write(f, b'parent ')")
    p.a.do("fork_and_write(f, b'child ')")
    p.a.do("spawn('echo shell', f)")
    p.a.do("os.write(f, b'parent')")
    return p.b.do(f"open({p.path('fork')!r}).read()"), "parent child shell\nparent"


def stat_after_write(p):
    p.open(p.a, "f", "stat")
    p.a.do("os.write(f, b'z' * 12345)")
    first = p.b.do(f"os.stat({p.path('stat')!r}).st_size")
    p.a.do("os.fchmod(f, 0o640)")
    p.a.do("os.utime(f, (1000, 2000))")
    return [first, p.b.do(f"oct(os.stat({p.path('stat')!r}).st_mode)"),
            p.b.do(f"os.stat({p.path('stat')!r}).st_mtime")], [12345, "0o100640", 2000.0]


def one_of_two_creates_exclusively(p):
    won = []
    for i in range(20):
        call = f"error_of(os.open, {p.path('race')!r} + '{i}', os.O_CREAT | os.O_EXCL | os.O_WRONLY)"
        p.a.tell(call)
        p.b.tell(call)
        won.append(sorted([p.a.hear(), p.b.hear()]))
    return won, [["EEXIST", "done"]] * 20


def directory_with_a_file_stays(p):
    p.a.do(f"os.mkdir({p.path('full')!r})")
    p.open(p.b, "f", "full/file")
    first = p.a.do(f"error_of(os.rmdir, {p.path('full')!r})")
    p.b.do(f"os.unlink({p.path('full/file')!r})")
    return [first, p.a.do(f"error_of(os.rmdir, {p.path('full')!r})"), p.b.do(f"os.path.exists({p.path('full')!r})")], [
        "ENOTEMPTY", "done", False]


def truncating_open_is_seen(p):
    p.open(p.a, "f", "cut")
    p.a.do("os.write(f, b'long text')")
    p.open(p.b, "g", "cut", "os.O_WRONLY | os.O_TRUNC")
    return [p.a.do("os.fstat(f).st_size"), p.a.do("os.pread(f, 100, 0)")], [0, b""]


def whole_file_locks_exclude(p):
    for agent in (p.a, p.b):
        p.open(agent, "f", "flock")
    p.a.do("fcntl.flock(f, fcntl.LOCK_EX)")
    held = p.b.do("error_of(fcntl.flock, f, fcntl.LOCK_EX | fcntl.LOCK_NB)")
    p.a.do("os.close(f)")
    return [held, p.b.do("error_of(fcntl.flock, f, fcntl.LOCK_EX | fcntl.LOCK_NB)")], ["EAGAIN", "done"]


def record_locks_exclude(p):
    for agent in (p.a, p.b):
        p.open(agent, "f", "records")
    p.a.do("fcntl.lockf(f, fcntl.LOCK_EX, 10, 0)")
    lock = "error_of(fcntl.lockf, f, fcntl.LOCK_EX | fcntl.LOCK_NB, 10, {})"
    held = [p.b.do(lock.format(5)), p.b.do(lock.format(10))]
    p.a.do("fcntl.lockf(f, fcntl.LOCK_UN, 10, 0)")
    return [*held, p.b.do(lock.format(5))], ["EAGAIN", "done", "done"]


CHECKS = [read_after_close, strong_read, read_of_two_owners, last_write_wins, append_in_turn, append_at_once,
          rename_is_seen, rename_over_an_open_file, readdir_sees_new_names, mapping_is_seen_after_msync,
          unlinked_file_lives_while_open, truncate_down, truncate_up, holes_are_zeros, duplicates_share_the_position,
          children_share_the_position, stat_after_write, one_of_two_creates_exclusively, directory_with_a_file_stays,
          truncating_open_is_seen, whole_file_locks_exclude, record_locks_exclude]


def probe(checks, where, a, b, folder):
    with a, b:
        for check in CHECKS:
            got, expected = check(Probe(a, b, folder))
            checks.equal(f"{where}: {check.__name__}", got, expected)
            for agent in (a, b):
                agent.do("[os.close(x) for x in range(3, 20) if error_of(os.fstat, x) == 'done'] and None")


def main():
    weir = sys.argv[1]
    checks = Checks()
    with Directory(weir) as plain:
        probe(checks, "plain", Agent(), Agent(), plain.path)
    for servers in (1, 2):
        with Directory(weir) as there:
            there.start("posix", servers)
            probe(checks, f"{servers} servers", there.agent(0), there.agent(servers - 1), there.path)
            checks.equal(f"{servers} servers: the job ends", there.stop(), 0)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
