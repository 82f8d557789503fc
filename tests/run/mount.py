"""`weir fs mount`: every program, static ones and the shell included, sees the job's files."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import Checks, Directory  # noqa: E402

SCRIPT = """
set -e
cd "$1"
cat deep/a; echo more >> deep/a; cat deep/a
mkdir new; echo 1 > new/x; mv new/x new/y; cp new/y z; rm new/y; rmdir new
dd if=/dev/zero of=big bs=64k count=20 2> /dev/null; truncate -s 100 big; stat -c '%s %a' big; chmod 600 big; stat -c %a big
ln -s deep/a link; cat link; touch -d '2001-02-03 04:05:06 UTC' z; stat -c %Y z
cp /bin/echo program; ./program run
echo nameless > t; exec 3<> t; rm t; cat <&3; test ! -e t; echo kept >&3; exec 3>&-
ls
"""

# Files that lose their name while they are open: by unlink, and by a rename over them.
NAMELESS = """
import errno, os, sys, tempfile
os.chdir(sys.argv[1])
for lose in (lambda: os.unlink('lost'), lambda: os.replace('other', 'lost')):
    open('other', 'w').write('other')
    f = open('lost', 'w+')
    f.write('0123456789'); f.flush()
    lose()
    assert os.fstat(f.fileno()).st_size == 10, os.fstat(f.fileno())
    f.write('more'); f.flush(); os.fsync(f.fileno())
    os.ftruncate(f.fileno(), 12)
    f.seek(0)
    assert f.read() == '0123456789mo'
    f.close()
assert open('lost').read() == 'other'
with tempfile.TemporaryFile(dir='.') as t:
    t.write(b'22'); t.flush(); t.seek(0); assert t.read() == b'22'
os.unlink('lost')
os.mkdir('empty'); os.mkdir('full'); open('full/f', 'w').write('f')
try:
    os.rename('empty', 'full')
    raise AssertionError('a directory is put over one with files')
except OSError as error:
    assert error.errno == errno.ENOTEMPTY, error
assert open('full/f').read() == 'f'
os.unlink('full/f'); os.rename('empty', 'full'); os.rmdir('full')
"""

EXPECTED = """text
text
more
100 644
600
text
more
981173106
run
nameless
b
big
deep
link
program
z
"""


def main():
    weir = sys.argv[1]
    checks = Checks()
    if not os.access("/dev/fuse", os.R_OK | os.W_OK) or not shutil.which("fusermount3"):
        checks.skip("mount", "no FUSE for this user")
        return checks.exit_code()
    with Directory(weir) as there:
        first = there.run(["sh", "-c", f"cd {there.path}; mkdir deep; echo text > deep/a; echo b > b"], "--keep", "--json")
        there.job = json.loads(first.stdout)["job_file"]
        view = there.scratch / "view"
        view.mkdir()
        done = there.fs("mount", view)
        if done.returncode == 3:
            checks.skip("mount", done.stderr)
            there.stop()
            return checks.exit_code()
        checks.equal("it is mounted", done.returncode, 0)
        try:
            done = subprocess.run(["sh", "-c", SCRIPT, "sh", str(view)], capture_output=True, text=True, timeout=120, check=False)
            checks.equal("a shell on the mount", (done.returncode, done.stdout, done.stderr), (0, EXPECTED, ""))
            done = subprocess.run([sys.executable, "-c", NAMELESS, str(view)], capture_output=True, text=True, timeout=120,
                                  check=False)
            checks.equal("files without a name", (done.returncode, done.stderr), (0, ""))
        finally:
            subprocess.run(["fusermount3", "-u", str(view)], capture_output=True, timeout=60, check=False)
        checks.equal("the job ends", there.stop(), 0)
        checks.equal("what was written there is flushed", (there.path / "deep/a").read_text(), "text\nmore\n")
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
