"""Real programs on the burst-buffer file system: what they leave is what they leave on a plain directory."""
import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import Checks, Directory  # noqa: E402

SHELL = r"""
set -e
cd "$1"
echo one > a; echo two >> a; cat a a > b; cp b c; mv c d; rm b
mkdir -p deep/er; printf 'x\ny\n' > deep/er/f; sort -r deep/er/f > deep/g; ln -s g deep/link; cat deep/link > via
tar cf t.tar a deep; mkdir x; tar xf t.tar -C x; diff -r deep x/deep; mv x y; rm -r y/deep/er
head -c 100000 /dev/zero | tr '\0' 'z' > z; dd if=z of=part bs=1000 skip=3 count=5 2> /dev/null
touch -d '2001-02-03 04:05:06' a; chmod 640 a
exec 3> three; echo 1 >&3; (echo 2; echo 3) >&3; exec 3>&-
while read line; do echo "<$line>"; done < three > read
cat > here <<X
text $(wc -c < z)
X
(for i in 1 2 3; do sh -c "echo child $i" & done; wait) > children; sort children > sorted; rm children
list=$(ls -R .); echo "$list" > listing
find . -type f -newer a | sort > newer; rm newer
gzip -k z; gunzip -c z.gz | cmp - z
sed -i s/one/three/ a
awk '{ print $1 > "awk." NR }' a
test -e a; test ! -e c; test -s z; test -d deep; test -L deep/link
"""

TOOLS = r"""
set -e
cd "$1"
echo a > a; ln a b; echo b >> b; cmp a b; cp -l a hard; cp -a a copy; ln -f copy b; stat -c '%h %n' a b hard copy > counts
mkdir -p tree/x; seq 1 5000 > tree/x/seq; ln tree/x/seq tree/y; ln -s y tree/s; chmod 600 tree/y; touch -d '2001-02-03 04:05:06' tree/y
cp -a tree tree2; tar cf t.tar tree; mkdir out; tar xf t.tar -C out; rm t.tar
for t in tree tree2 out/tree; do stat -c '%h %a %Y %n' $t/x/seq $t/y >> counts; test $t/y -ef $t/x/seq; done; diff -r tree out/tree
sort -T . -S 20k -r -n tree/x/seq > sorted; split -l 1000 sorted part.; cat part.* | cmp - sorted
truncate -s 1M sparse; printf end | dd of=sparse bs=1 seek=500000 conv=notrunc 2> /dev/null
tar cSf s.tar sparse; mkdir s; tar xSf s.tar -C s; cmp sparse s/sparse; cp --sparse=always sparse s/again; cmp sparse s/again; rm s.tar
find . -type f -links +1 | sort > linked; ls -1R > listed; find . -name 'part.*' -delete
printf 'saved\n' > .a.new; mv a a~; mv .a.new a; cp -p a~ a.bak; cmp hard a~
gzip -nk sorted; bzip2 -k sorted; xz -k sorted; gunzip -c sorted.gz | cmp - sorted; bunzip2 -c sorted.bz2 | cmp - sorted; xz -dc sorted.xz | cmp - sorted
perl -e 'open(F, "+>", "p") or die; print F "line $_\n" for 1..1000; seek(F, 0, 0); my @l = <F>; die unless @l == 1000; truncate(F, 50) or die;
  close F; rename("p", "q") or die; link("q", "r") or die; opendir(D, ".") or die; my @e = sort readdir(D); open(G, ">perl"); print G "@e\n";
  flock(G, 2) or die; symlink("q", "l") or die; unlink("r") == 1 or die; print G -s "q", "\n"; utime(1, 2, "q"); mkdir("m") or die; rmdir("m") or die'
printf 'one\ntwo\n' > old; printf 'one\n2\n' > new; diff -u --label a --label b old new > d || true; patch -s old d; cmp old new
ar rcD lib.a sorted a; ar t lib.a > members; seq 1 50 | xargs -n 10 sh -c 'echo "$@" >> lines' x
rm -rf tree2 out s; test ! -e out; mkdir -p deep/1/2/3/4; echo x > deep/1/2/3/4/f; mv deep/1/2 deep/two; rm -r deep/1; cat deep/two/3/4/f > moved
"""

GIT = r"""
set -e
export GIT_AUTHOR_DATE='2001-02-03T04:05:06Z' GIT_COMMITTER_DATE='2001-02-03T04:05:06Z' HOME="$1" GIT_CONFIG_NOSYSTEM=1
cd "$1"
git config --global user.email a@b; git config --global user.name n; git config --global init.defaultBranch main
git init -q repo; cd repo; for i in $(seq 1 40); do echo "file $i" > f$i; done; mkdir sub; seq 1 3000 > sub/long
git add .; git commit -qm first; git mv f1 sub/f1; echo more >> f2; git rm -q f3; git commit -qam second; git tag t
git branch other HEAD~1; git checkout -q other; echo else > f4; git commit -qam third; git merge -q -m merged main
git status --porcelain > ../status; git log --format='%H %s' > ../log; git gc -q; git fsck --strict; git rev-parse HEAD > ../head
cd ..; git clone -q repo clone; git -C clone log --format=%H > cloned; git -C clone fsck; rm -rf repo/.git clone/.git
"""

BASH = r"""
set -e
cd "$1"
echo builtin > a; printf '%s\n' x y z >> a; mapfile -t lines < a; echo "${#lines[@]}" > count
exec 4<> a; read -u 4 first; echo "$first" > first; exec 4>&-
{ echo out; echo err >&2; } > both 2>&1
cat <(echo substituted) > sub
echo text | tee tee1 tee2 > /dev/null
shopt -s nullglob; for f in t*; do echo "$f"; done > globbed
"""

PYTHON = r"""
import json, mmap, os, pickle, shutil, sqlite3, subprocess, sys, tempfile
os.chdir(sys.argv[1])
with open('text', 'w') as f:
    for i in range(20000): f.write(f'line {i}\n')
with open('text') as f: assert sum(1 for _ in f) == 20000
with open('text', 'r+') as f: f.seek(5); f.write('X'); f.seek(0, 2); f.write('end\n')
with open('bytes', 'wb', buffering=0) as f: f.write(bytes(range(256)) * 100)
with open('bytes', 'r+b') as f:
    m = mmap.mmap(f.fileno(), 0); m[1000:1004] = b'MMAP'; m.flush(); assert m.find(b'MMAP') == 1000; m.close()
os.makedirs('a/b/c'); json.dump({'k': [1, 2]}, open('a/b/c/j.json', 'w')); pickle.dump([1], open('a/p', 'wb'))
shutil.copytree('a', 'copy'); shutil.copy2('text', 'text2'); shutil.move('copy/b', 'moved'); os.replace('text2', 'text3')
with os.scandir('a') as entries: json.dump(sorted((e.name, e.is_dir()) for e in entries), open('scan', 'w'))
json.dump([[d, sorted(s), sorted(f)] for d, s, f in sorted(os.walk('.'))], open('walk', 'w'))
with tempfile.NamedTemporaryFile(dir='.') as t: t.write(b'1'); t.flush(); assert os.path.getsize(t.name) == 1
with tempfile.TemporaryFile(dir='.') as t: t.write(b'22'); t.seek(0); assert t.read() == b'22'
db = sqlite3.connect('db'); db.execute('create table t(a, b)')
db.executemany('insert into t values(?, ?)', [(i, str(i)) for i in range(1000)]); db.commit()
assert db.execute('select count(*), sum(a) from t').fetchone() == (1000, 499500); db.close()
subprocess.run(['sh', '-c', 'echo out; echo err >&2'], stdout=open('sub', 'w'), stderr=subprocess.STDOUT, check=True)
fd = os.open('sparse', os.O_CREAT | os.O_RDWR); os.pwrite(fd, b'end', 100000); os.posix_fallocate(fd, 0, 200000)
os.ftruncate(fd, 150000); os.lseek(fd, 0, os.SEEK_SET); os.sendfile(fd, os.open('bytes', os.O_RDONLY), 0, 500)
os.copy_file_range(os.open('bytes', os.O_RDONLY), fd, 300, 0, 50000); os.writev(fd, [b'one', b'two']); os.close(fd)
os.symlink('text', 'link'); assert os.path.realpath('link').endswith('/text'); assert os.path.samefile('link', 'text')
os.chmod('text', 0o600); os.utime('text', (1, 2)); assert os.stat('text').st_mtime == 2
os.link('text', 'hard'); assert os.stat('text').st_nlink == 2 and os.path.samefile('hard', 'text'); os.unlink('text'); os.rename('hard', 'text')
with tempfile.TemporaryDirectory(dir='.') as d: open(d + '/f', 'w').write('x'); shutil.copytree(d, 'kept')
import glob, zipfile; json.dump(sorted(glob.glob('**', recursive=True)), open('glob', 'w'))
with zipfile.ZipFile('z.zip', 'w') as z: z.writestr(zipfile.ZipInfo('n'), 'text')
assert zipfile.ZipFile('z.zip').read('n') == b'text'
db = sqlite3.connect('wal'); assert db.execute('pragma journal_mode=wal').fetchone()[0] in ('wal', 'delete')
db.execute('create table t(a)'); db.executemany('insert into t values(?)', [(i,) for i in range(100)]); db.commit(); db.close()
subprocess.run([sys.executable, '-c', "import sqlite3; d = sqlite3.connect('wal'); assert d.execute('select sum(a) from t').fetchone() == (4950,)"], check=True)
"""

MAKEFILE = r"""
all: program output
program: main.o part.o
	cc -o $@ $^
%.o: %.c part.h
	cc -c -o $@ $<
output: program
	./program > $@
"""

SQLITE_IN_TURN = r"""
set -e
sqlite3 "$1" 'create table t(n); insert into t values(0);'
for i in 1 2 3 4 5 6 7 8 9 10; do sqlite3 "$1" "begin; update t set n = n + 1; insert into t values($i); commit;"; done
sqlite3 "$1" 'select * from t; pragma integrity_check;'
"""

SQLITE_AT_ONCE = r"""
import sqlite3, subprocess, sys
ADD = '''
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=120, isolation_level=None)
for i in range(40):
    db.execute('begin immediate')
    n, = db.execute('select n from t').fetchone()
    db.execute('update t set n = ?', (n + 1,))
    db.execute('insert into log values(?, ?)', (sys.argv[2], n))
    db.execute('commit')
'''
db = sqlite3.connect(sys.argv[1], timeout=120)
db.executescript('create table t(n); insert into t values(0); create table log(who, n);')
both = [subprocess.Popen([sys.executable, '-c', ADD, sys.argv[1], who]) for who in 'ab']
assert [process.wait() for process in both] == [0, 0]
for question in ('select n from t', 'select count(distinct n), min(n), max(n) from log',
                 'select who, count(*) from log group by who order by who', 'pragma integrity_check'):
    print(db.execute(question).fetchall())
"""

FIO = """[global]
ioengine={engine}
rw=randrw
bs=4k
size=1m
verify=crc32c
do_verify=1
verify_fatal=1
directory={directory}
randseed=7
[job]
numjobs=2
{shared}
"""


def same_trees(left, right, ignored=()):
    """What differs between two directories: names, kinds, bytes, modes."""
    problems = []

    def compare(a, b, below):
        names_a, names_b = ({name for name in os.listdir(side) if name not in ignored} for side in (a, b))
        problems.extend(f"{below}{name} only on one side" for name in names_a ^ names_b)
        for name in sorted(names_a & names_b):
            one, other = a / name, b / name
            if one.is_symlink() or other.is_symlink():
                if not (one.is_symlink() and other.is_symlink() and os.readlink(one) == os.readlink(other)):
                    problems.append(f"{below}{name}: links differ")
            elif one.is_dir() and other.is_dir():
                compare(one, other, f"{below}{name}/")
            elif one.is_dir() != other.is_dir() or not filecmp.cmp(one, other, shallow=False):
                problems.append(f"{below}{name}: bytes differ")
            elif one.stat().st_mode != other.stat().st_mode:
                problems.append(f"{below}{name}: modes differ")

    compare(Path(left), Path(right), "")
    return problems


def both_ways(checks, weir, what, command, consistency, prepare=None, ignored=(), compare=None):
    """The command, with {} for its directory, on a plain directory and through Weir. `compare` looks at both in its own way."""
    with Directory(weir) as plain, Directory(weir) as burst:
        for there in (plain, burst):
            if prepare:
                prepare(there.path)
        bare = subprocess.run([str(word).replace("{}", str(plain.path)) for word in command], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=600, check=False)
        done = burst.run([str(word).replace("{}", str(burst.path)) for word in command], consistency=consistency)
        name = f"{what} under {consistency}"
        if not checks.equal(f"{name}: status", (done.returncode, done.stderr if done.returncode else ""),
                            (bare.returncode, bare.stderr if bare.returncode else "")):
            return
        checks.equal(f"{name}: output", done.stdout, bare.stdout.replace(str(plain.path), str(burst.path)))
        checks.equal(f"{name}: nothing of Weir is left", [n for n in os.listdir(burst.path) if n.startswith(".weir")], [])
        checks.equal(f"{name}: files", same_trees(plain.path, burst.path, ignored), [])
        if compare:
            compare(checks, name, plain.path, burst.path)


def sources(folder):
    (folder / "part.h").write_text("int part(int);\n")
    (folder / "part.c").write_text('#include "part.h"\nint part(int x) { return x * 7; }\n')
    (folder / "main.c").write_text('#include <stdio.h>\n#include "part.h"\nint main(void) { printf("%d\\n", part(6)); }\n')
    (folder / "Makefile").write_text(MAKEFILE)


def fio(checks, weir):
    """Each job reads back what it has written itself: that holds under every model."""
    if not shutil.which("fio"):
        return checks.skip("fio", "not installed")
    runs = [(engine, "posix") for engine in ("psync", "pvsync", "sync", "mmap", "posixaio")]
    runs += [(engine, model) for engine in ("psync", "posixaio") for model in ("commit", "session")]
    for engine, consistency in runs:
        for shared in ("", "filename=shared\noffset_increment=1m\n"):
            if shared and engine == "mmap":
                continue  # fails its own verification on every file system
            with Directory(weir) as there:
                job = there.scratch / "job.fio"
                job.write_text(FIO.format(engine=engine, directory=there.path, shared=shared))
                done = there.run(["fio", "--thread=0", "--verify_state_save=0", job], consistency=consistency)
                checks.equal(f"fio {engine} {'shared' if shared else 'file per process'} under {consistency}",
                             (done.returncode, done.stderr if done.returncode else ""), (0, ""))
    return None


def sqlite(checks, weir):
    """Transactions end with fsync before their lock does, and begin with a read under a lock: commit is enough for connections
    at the same time. Under session a connection sees what was closed when it was opened: one after the other."""
    if not shutil.which("sqlite3"):
        return checks.skip("sqlite3", "not installed")
    for consistency in ("posix", "commit", "session"):
        both_ways(checks, weir, "sqlite3", ["sqlite3", "{}/db",
                                            "create table t(a); insert into t values(1),(2); "
                                            "pragma integrity_check; select sum(a) from t;"], consistency)
        both_ways(checks, weir, "sqlite3 again and again", ["sh", "-c", SQLITE_IN_TURN, "sh", "{}/db"], consistency)
    for consistency in ("posix", "commit"):
        both_ways(checks, weir, "sqlite3 from two processes", [sys.executable, "-c", SQLITE_AT_ONCE, "{}/db"], consistency,
                  ignored=("db",))  # where rows lie depends on who came first
    return None


def main():
    weir, exerciser = sys.argv[1], sys.argv[2]
    checks = Checks()
    for consistency in ("posix", "commit", "session"):
        both_ways(checks, weir, "sh", ["sh", "-c", SHELL, "sh", "{}"], consistency, ignored=("t.tar", "z.gz"))
        both_ways(checks, weir, "bash", ["bash", "-c", BASH, "bash", "{}"], consistency)
        both_ways(checks, weir, "tools", ["sh", "-c", TOOLS, "sh", "{}"], consistency)
        if shutil.which("git"):
            both_ways(checks, weir, "git", ["sh", "-c", GIT, "sh", "{}"], consistency)
        both_ways(checks, weir, "python3", [sys.executable, "-c", PYTHON, "{}"], consistency)
        with Directory(weir) as there:
            expected = there.scratch / "expected"
            operations = 1_000_000 if os.environ.get("WEIR_LONG_TESTS") else 6000
            done = there.run([exerciser, there.path / "file", consistency, 3, operations, 11, expected], consistency=consistency,
                             timeout=3600)
            checks.equal(f"random operations under {consistency}", (done.returncode, done.stderr if done.returncode else ""),
                         (0, ""))
            checks.expect(f"random operations under {consistency}: the file in the end",
                          expected.exists() and filecmp.cmp(there.path / "file", expected, shallow=False))
    if shutil.which("cc") and shutil.which("make"):
        for consistency in ("posix", "commit", "session"):
            both_ways(checks, weir, "make", ["make", "-C", "{}", "-j2"], consistency, sources)
    sqlite(checks, weir)
    fio(checks, weir)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
