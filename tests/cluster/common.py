"""A job of the burst-buffer file system and its processes, for tests."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import Checks, scratch_directory  # noqa: E402, F401


class Job:
    """Servers on this machine, each a node of its own; a buffer in memory where there is one."""

    environment = {}  # of its clients, beside their own

    def __init__(self, weir, player, servers=1, backing=None, buffer=None, options=(), device="/dev/shm"):
        self.weir, self.player = weir, player
        self.scratch = Path(tempfile.mkdtemp(prefix="weir-cluster-"))
        self.buffer = buffer or Path(tempfile.mkdtemp(prefix="weir-cluster-", dir=device if os.access(device, os.W_OK) else None))
        self.backing = backing or self.scratch / "backing"
        self.backing.mkdir(exist_ok=True)
        self.file = self.scratch / "job.json"
        self.players = []
        limit = () if "--limit" in options else ("--limit", "20s")
        done = self.start(servers, ("--buffer", self.buffer, "--backing", self.backing, "--job", self.file, *limit,
                                    *options))
        if done.returncode != 0:
            self.remove()
            raise RuntimeError(done.stderr)
        self.started()

    def start(self, servers, options):
        return self.run("start", "--local", servers, *options, named=False)

    def started(self):
        pass

    def facts(self):
        return json.loads(self.run("stats", "--json").stdout)

    def run(self, *words, named=True):
        job = ("--job", self.file) if named else ()
        return subprocess.run([self.weir, "fs", *map(str, words), *map(str, job)], capture_output=True, text=True,
                              timeout=120, check=False)

    def client(self, node=0):
        player = Player(self, node)
        self.players.append(player)
        return player

    def server_pid(self, number):
        wanted = ["--job", str(self.file), "--server", str(number)]
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if [word.decode() for word in words[1:5]] == wanted:
                return int(entry.name)
        return None

    def kill_server(self, number):
        pid = self.server_pid(number)
        os.kill(pid, signal.SIGKILL)
        while self.server_pid(number) is not None:
            time.sleep(0.005)

    def start_server(self, number):
        self.launch([], number)

    def launch(self, before, number):
        server = Path(self.weir).with_name("weir-server")
        with open(self.scratch / "servers.log", "ab") as log:
            subprocess.Popen([*before, server, "--job", self.file, "--server", str(number)], stdout=log, stderr=log,
                             start_new_session=True)

    def stop(self):
        for player in self.players:
            player.end()
        done = self.run("stop")
        return done

    def remove(self):
        """Whatever is left: nothing of a test stays."""
        for player in self.players:
            player.kill()
        for number in range(64):
            pid = self.server_pid(number)
            if pid is None:
                break
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.scratch, ignore_errors=True)
        shutil.rmtree(self.buffer, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()


class Player:
    def __init__(self, job, node):
        environment = dict(os.environ, WEIR_JOB=str(job.file), WEIR_SERVER=str(node), **job.environment)
        self.process = subprocess.Popen([job.player], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment)
        self.hello = self.process.stdout.readline().strip()

    def tell(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def hear(self):
        return self.process.stdout.readline().rstrip("\n")

    def do(self, *words):
        self.tell(*words)
        return self.hear()

    def hear_within(self, seconds):
        """An answer, or "" and the end of the process when none came for so long: it hangs."""
        timer = threading.Timer(seconds, self.process.kill)
        timer.start()
        try:
            return self.hear()
        finally:
            timer.cancel()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(timeout=60)


def wait_until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
