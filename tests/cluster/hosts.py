#!/usr/bin/env python3
"""Servers on hosts with names, started by each launcher: hosts are network namespaces with a name, a table of names and an
address of their own; ssh is a script that enters them. Needs root.

  tests/cluster/hosts.py build/release/weir build/release/tests/cluster/burst_player
"""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from common import Checks, Job, Player, wait_until
from namespaces import Namespaces

ENTER = """#!/bin/sh
exec ip netns exec {namespace} unshare --mount --uts sh -c \\
  'hostname {name} && mount --bind {table} /etc/hosts && exec "$@"' sh "$@"
"""

# What mpirun starts its daemons with.
AGENT = """#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1; shift
exec {folder}/on-${{host%%.*}} sh -c "$*"
"""

# Stands in for Slurm's, which numbers processes by hosts in an order of its own.
SRUN = """#!/bin/sh
while :; do
  case $1 in
    -w) hosts=$2; shift 2 ;;
    -n) rank=$2; shift 2 ;;
    -N) shift 2 ;;
    --*) shift ;;
    *) break ;;
  esac
done
for host in $(echo "$hosts" | tr , ' '); do
  rank=$((rank - 1))
  SLURM_PROCID=$rank {folder}/on-${{host%%.*}} "$@" &
done
wait
"""


class Hosts:
    """Two of them; a name leads to loopback on its own host, as Debian writes it, and to the address on the other."""

    names = ("weirn1", "weirn2.cluster")

    def __init__(self, net, folder):
        self.folder = folder
        for own, (namespace, name) in enumerate(zip(net.names, self.names)):
            table = folder / f"names-{own}"
            rows = ["127.0.0.1 localhost", *(f"{'127.0.1.1' if i == own else address} {other}"
                                             for i, (other, address) in enumerate(zip(self.names, net.addresses)))]
            table.write_text("\n".join(rows) + "\n")
            # The second one knows itself without its domain, and Open MPI calls it so.
            short = name.partition(".")[0]
            self.script(f"on-{short}", ENTER.format(namespace=namespace, name=short, table=table))
        self.script("agent", AGENT.format(folder=folder))

    def script(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)
        return self.folder / name

    def on(self, number):
        return str(self.folder / f"on-{self.names[number].partition('.')[0]}")


class HostsJob(Job):
    def __init__(self, weir, player, hosts, environment, **others):
        self.hosts, self.around = hosts, environment
        super().__init__(weir, player, **others)

    def run(self, *words, named=True, on=0):
        job = ("--job", self.file) if named else ()
        return subprocess.run([self.hosts.on(on), self.weir, "fs", *map(str, words), *map(str, job)], capture_output=True,
                              text=True, timeout=120, check=False, env=self.around)

    def start(self, servers, options):
        return self.run("start", "--hosts", ",".join(self.hosts.names), *options, named=False)

    def client(self, node=0):
        player = HostsPlayer(self, node)
        self.players.append(player)
        return player

    def pids(self):
        """Of the servers; they are not told which they are."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().decode().split("\0") if entry.name.isdigit() else []
            except OSError:
                continue
            if len(words) > 2 and Path(words[0]).name == "weir-server" and words[2] == str(self.file):
                found.append(int(entry.name))
        return found

    def server_of(self, address):
        """The process that listens there."""
        for pid in self.pids():
            with contextlib.suppress(OSError):
                if f"-- {address}\n" in Path(f"/proc/{pid}/net/fib_trie").read_text():
                    return pid
        return None

    def remove(self):
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        super().remove()


class HostsPlayer(Player):
    """A client that is not told which server is its node's."""

    def __init__(self, job, node):
        environment = {k: v for k, v in job.around.items() if k != "WEIR_SERVER"}
        self.process = subprocess.Popen([job.hosts.on(node), job.player], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=dict(environment, WEIR_JOB=str(job.file)))
        self.hello = self.process.stdout.readline().strip()


def buffered(job):
    facts = json.loads(job.run("stats", "--json").stdout)
    return [server["bytes"]["buffered"] for server in facts["servers"]]


def works(checks, told, job, net):
    servers = json.loads(job.file.read_text())["servers"]
    checks.equal(f"{told}: listen at the hosts' addresses",
                 [row["addresses"][0].partition(":")[0] for row in servers], list(net.addresses))
    one, two = job.client(0), job.client(1)
    checks.equal(f"{told}: clients find their servers", [player.hello.split()[0] for player in (one, two)], ["ok", "ok"])
    before = buffered(job)
    one.do("open", "f", "commit")
    one.do("write", 0, "text")
    one.do("sync")
    two.do("open", "f", "commit", "old")
    checks.equal(f"{told}: one reads what the other wrote", two.do("read", 0, 9), "ok text")
    after = buffered(job)
    checks.equal(f"{told}: it went to the writer's own node", [b > a for a, b in zip(before, after)], [True, False])


def dies_and_comes_back(checks, told, job, net, number=1):
    victim = job.server_of(net.addresses[number])
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: victim not in job.pids())
    status = job.run("status", on=1 - number)
    checks.equal(f"{told}: status when one is dead", (status.returncode, status.stderr), (1, ""))
    checks.equal(f"{told}: the other lives", job.server_of(net.addresses[1 - number]) is not None, True)
    with open(job.scratch / "servers.log", "ab") as log:
        subprocess.Popen([job.hosts.on(number), Path(job.weir).with_name("weir-server"), "--job", job.file], stdout=log,
                         stderr=log, env=job.around, start_new_session=True)
    checks.equal(f"{told}: started again by hand", wait_until(lambda: job.run("status").returncode == 0), True)


# What each launcher is told to start one process on each host.
START = {"openmpi": ("mpirun", "--host"), "mpich": ("mpirun", "-hosts"), "srun": ("srun", "-N", "2", "-n", "2", "-w")}


def program_on_both(checks, weir, told, hosts, environment):
    """What weir run starts there goes through the buffer of either host."""
    with tempfile.TemporaryDirectory(prefix="weir-hosts-") as folder:
        names = ",".join(hosts.names)
        done = subprocess.run([hosts.on(0), weir, "run", "--dir", folder, "--hosts", names, "--consistency", "commit", "--json", "--",
                               *START[told], names, "sh", "-c", f"hostname > {folder}/of-$(hostname)"],
                              capture_output=True, text=True, timeout=120, check=False, env=environment)
        checks.equal(f"{told}: weir run", done.returncode, 0)
        short = [name.partition(".")[0] for name in hosts.names]
        wrote = [f"{name}\n" for name in short]
        checks.equal(f"{told}: its files", [(Path(folder) / f"of-{name}").read_text() for name in short], wrote)
        facts = json.loads(done.stdout)
        checks.equal(f"{told}: all of it through the buffer", facts["bytes"]["published_bytes"], sum(map(len, wrote)))


def launchers(checks, folder, hosts):
    """Name -> environment, for those that are here."""
    found = {}
    for name in ("openmpi", "mpich"):
        program = shutil.which(f"mpirun.{name}")
        if program is None:
            checks.skip(f"servers started by {name}", f"no mpirun.{name}")
            continue
        own = folder / name
        own.mkdir()
        (own / "mpirun").symlink_to(program)
        (own / "hydra_pmi_proxy").symlink_to(Path(program).with_name("hydra_pmi_proxy"))  # MPICH looks for it there
        found[name] = {"PATH": f"{own}:{os.environ['PATH']}"}
    agent = str(folder / "agent")
    if "openmpi" in found:
        found["openmpi"].update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_plm_rsh_agent=agent)
    if "mpich" in found:
        found["mpich"].update(HYDRA_LAUNCHER="ssh", HYDRA_LAUNCHER_EXEC=agent)
    own = folder / "slurm"
    own.mkdir()
    hosts.script("slurm/srun", SRUN.format(folder=folder))
    found["srun"] = {"PATH": f"{own}:{os.environ['PATH']}", "SLURM_JOB_ID": "1"}
    return {name: dict(os.environ, **own) for name, own in found.items()}


def network_missing(checks, weir, player, hosts, environment):
    """Told by whom, without waiting for the limit; the file may be used again."""
    with HostsJob(weir, player, hosts, environment) as job:
        checks.equal("a network: stop", job.stop().returncode, 0)
        words = ("--buffer", job.buffer, "--backing", job.backing, "--job", job.file, "--limit", "100s")
        done = job.start(2, (*words, "--network", "ib99"))
        checks.expect("a network that is not there is told with the host",
                      done.returncode != 0 and "ib99" in done.stderr and " on weirn" in done.stderr, done.stderr)
        again = job.start(2, words)
        checks.equal("the file may be used again", (again.returncode, again.stderr), (0, ""))
        checks.equal("of a job that did not start nothing stays", len(list(job.buffer.iterdir())), 1)
        twice = subprocess.run([hosts.on(1), Path(weir).with_name("weir-server"), "--job", job.file], capture_output=True,
                               text=True, timeout=100, check=False, env=environment)
        checks.expect("a server that runs already: started twice", twice.returncode != 0)
        dies_and_comes_back(checks, "after that", job, Namespaces, number=0)


def main():
    weir, player = sys.argv[1:3]
    checks = Checks()
    with Namespaces() as net:
        if not net.made:
            checks.skip("hosts", "network namespaces: need root and the program ip (Debian: iproute2)")
            return checks.exit_code()
        with tempfile.TemporaryDirectory(prefix="weir-hosts-") as folder:
            folder = Path(folder)
            hosts = Hosts(net, folder)
            found = launchers(checks, folder, hosts)
            for told, environment in found.items():
                with HostsJob(weir, player, hosts, environment) as job:
                    works(checks, told, job, net)
                    dies_and_comes_back(checks, told, job, net)
                    checks.equal(f"{told}: stop", job.stop().returncode, 0)
                    checks.equal(f"{told}: flushed", (job.backing / "f").read_text(), "text")
                    checks.equal(f"{told}: nobody stays", wait_until(lambda job=job: not job.pids()), True)
            for told, environment in found.items():
                program_on_both(checks, weir, told, hosts, environment)
            with HostsJob(weir, player, hosts, found["srun"], options=("--network", "10.231.7.0/24")) as job:
                works(checks, "by network", job, net)
            network_missing(checks, weir, player, hosts, found["srun"])
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
