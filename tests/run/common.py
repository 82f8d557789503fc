"""A directory on the burst-buffer file system, and processes that use it without knowing."""
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import Checks, scratch_directory  # noqa: E402, F401

AGENT = Path(__file__).with_name("agent.py")


class Directory:
    """A scratch directory, with servers before it once they are started; nothing of it stays."""

    def __init__(self, weir):
        self.weir = Path(weir)
        self.scratch = Path(tempfile.mkdtemp(prefix="weir-run-", dir=os.path.realpath(tempfile.gettempdir())))
        shm = Path("/dev/shm")
        self.buffer = Path(tempfile.mkdtemp(prefix="weir-run-", dir=shm if os.access(shm, os.W_OK) else None))
        self.path = self.scratch / "dir"
        self.path.mkdir()
        self.job = self.scratch / "job.json"
        self.agents = []

    def library(self):
        return self.weir.with_name("libweir-burst.so")

    def run(self, command, *options, consistency="posix", **keywords):
        """`weir run` on the directory."""
        words = [self.weir, "run", "--dir", self.path, "--consistency", consistency, "--buffer", self.buffer, *options,
                 "--", *command]
        keywords.setdefault("timeout", 600)
        keywords.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **keywords)

    def fs(self, *words):
        return subprocess.run([str(word) for word in (self.weir, "fs", *words, "--job", self.job)], capture_output=True,
                              text=True, timeout=120, check=False)

    def start(self, consistency, servers=1):
        done = self.fs("start", "--local", servers, "--buffer", self.buffer, "--backing", self.path, "--consistency",
                       consistency, "--limit", "60s")
        if done.returncode != 0:
            raise RuntimeError(done.stderr)

    def stop(self):
        return self.fs("stop").returncode

    def environment(self, node=0):
        return dict(os.environ, WEIR_JOB=str(self.job), WEIR_SERVER=str(node), LD_PRELOAD=str(self.library()))

    def agent(self, node=0):
        made = Agent(self.environment(node))
        self.agents.append(made)
        return made

    def server_pids(self):
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if len(words) > 2 and words[0].endswith(b"weir-server") and words[2].startswith(bytes(self.scratch)):
                yield int(entry.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for agent in self.agents:
            agent.end()
        for pid in list(self.server_pids()):
            os.kill(pid, 9)
        shutil.rmtree(self.scratch, ignore_errors=True)
        shutil.rmtree(self.buffer, ignore_errors=True)


class Agent:
    def __init__(self, environment=None):
        self.process = subprocess.Popen([sys.executable, "-u", AGENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=environment)

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self):
        line = self.process.stdout.readline()
        return ast.literal_eval(line) if line else "the agent has died"

    def do(self, line):
        self.tell(line)
        return self.hear()

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
