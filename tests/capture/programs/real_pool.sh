#!/bin/sh
# Python's pools of threads and processes, subprocesses in every way, and files between them.
# needs: python3
set -eu
cat > pool.py << 'EOF'
import concurrent.futures, multiprocessing, os, pathlib, subprocess, sys, tempfile


def work(n):
    path = pathlib.Path(f"piece{n}")
    path.write_bytes(bytes([n]) * (1000 * n))
    with path.open("r+b") as f:
        f.seek(n)
        f.write(b"marked")
    return n, path.stat().st_size, os.getpid() != parent


parent = os.getpid()
if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, [found[:2] for found in pool.map(work, range(6))])
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        print(list(pool.map(work, range(6, 20))))
    shared = multiprocessing.Value("i", 0)
    def add():
        for _ in range(100):
            with shared.get_lock():
                shared.value += 1
    started = [multiprocessing.get_context("fork").Process(target=add) for _ in range(3)]
    [p.start() for p in started]
    [p.join() for p in started]
    print(shared.value)
    print(subprocess.run("cat piece3 | wc -c; exit 9", shell=True, capture_output=True, text=True))
    with open("by_child", "w") as out:
        subprocess.run([sys.executable, "-c", "import os; print('child'); os.write(1, b'raw'); os._exit(3)"], stdout=out)
    print(repr(open("by_child").read()))
    with subprocess.Popen(["sort", "-r"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sort:
        print(sort.communicate("b\na\nc\n")[0].split())
    print(os.posix_spawn("/bin/sh", ["sh", "-c", "echo spawned > spawned"], os.environ) > 0, os.wait()[1])
    with tempfile.TemporaryDirectory(dir=".") as there:
        print(len(os.listdir(there)))
    os.abort()
EOF
PYTHONDONTWRITEBYTECODE=1 python3 pool.py 2> /dev/null || echo "status $?"
rm -f core*
