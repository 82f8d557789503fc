#!/bin/sh
# Python reads, writes, maps, walks and starts others.
# needs: python3
# counts: open>=3 read>=5 write>=5 lseek>=1 processes>=2
exec python3 -I -B - << 'EOF'
import mmap, os, pathlib, shutil, sqlite3, subprocess, sys, tempfile, threading, zlib

root = pathlib.Path("tree")
root.mkdir()
for i in range(20):
    (root / f"file{i:02}").write_text(f"{i}\n" * i)
with open("data", "w+b", buffering=0) as f:
    f.write(bytes(range(256)) * 64)
    f.seek(100)
    print(f.read(4), f.tell(), os.pread(f.fileno(), 3, 7), os.fstat(f.fileno()).st_size)
    with mmap.mmap(f.fileno(), 0) as m:
        m[10:14] = b"MMAP"
        m.flush()
    os.posix_fallocate(f.fileno(), 0, 20000)
    os.truncate(f.fileno(), 17000)
    os.writev(f.fileno(), [b"a", b"bc"])
    os.sendfile(os.open("sent", os.O_CREAT | os.O_WRONLY, 0o600), f.fileno(), 5, 20)
print(sorted(os.listdir(root))[:3], len(list(os.scandir(root))))
print(sum(len(files) for _, _, files in os.walk(".")))
shutil.copytree(root, "copy")
shutil.move("copy/file03", "moved")
os.symlink("moved", "link")
print(os.readlink("link"), os.path.realpath("link") == os.path.realpath("moved"), os.access("missing", os.R_OK))
with tempfile.NamedTemporaryFile("w+", dir=".") as t:
    t.write("temporary")
    t.flush()
    t.seek(0)
    print(t.read())
def work(n):
    pathlib.Path(f"thread{n}").write_bytes(zlib.compress(bytes([n]) * 1000))
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
done = subprocess.run([sys.executable, "-I", "-c", "print(input()[::-1])"], input="drawer\n", text=True,
                      stdout=subprocess.PIPE, check=True)
print(done.stdout.strip())
db = sqlite3.connect("base.db")
db.execute("create table t(a integer, b text)")
db.executemany("insert into t values(?, ?)", ((i, str(i * i)) for i in range(1000)))
db.commit()
print(db.execute("select count(*), sum(a), max(length(b)) from t").fetchone())
db.close()
try:
    open("missing/file")
except OSError as e:
    print(e)
pid = os.fork()
if pid == 0:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
sys.exit(3)
EOF
