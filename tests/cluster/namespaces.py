"""Nodes as network namespaces of this machine."""
import os
import subprocess

from common import Job, wait_until


def quietly(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, check=False).returncode == 0


class Namespaces:
    """Two network namespaces with a pair of virtual devices between them; not `made` where that is not allowed."""

    addresses = ("10.231.7.1", "10.231.7.2")
    devices = ("wa", "wb")

    def __init__(self):
        self.names = [f"weir{os.getpid()}{side}" for side in "ab"]

    def __enter__(self):
        self.made = (quietly("ip", "netns", "add", self.names[0]) and quietly("ip", "netns", "add", self.names[1]) and
                     quietly("ip", "link", "add", self.devices[0], "netns", self.names[0], "type", "veth", "peer", "name",
                             self.devices[1], "netns", self.names[1]))
        if self.made:
            self.bring_up()
        return self

    def bring_up(self):
        for name, device, address in zip(self.names, self.devices, self.addresses):
            quietly("ip", "-n", name, "addr", "add", f"{address}/24", "dev", device)
            quietly("ip", "-n", name, "link", "set", device, "up")
            quietly("ip", "-n", name, "link", "set", "lo", "up")
        # UCX wants a device with a carrier, which comes a moment after the link.
        for name, device in zip(self.names, self.devices):
            wait_until(lambda name=name, device=device: "state UP" in subprocess.run(
                ["ip", "-n", name, "link", "show", device], capture_output=True, text=True, check=False).stdout)

    def cut(self):
        quietly("ip", "-n", self.names[0], "link", "set", self.devices[0], "down")

    def mend(self):
        quietly("ip", "-n", self.names[0], "link", "set", self.devices[0], "up")

    def __exit__(self, *_):
        for name in self.names:
            quietly("ip", "netns", "del", name)


class NamespaceJob(Job):
    """A server in each network namespace, listening at its address and nowhere else."""

    def __init__(self, weir, player, namespaces, **others):
        self.namespaces = namespaces
        super().__init__(weir, player, **others)

    def start(self, servers, options):
        return self.run("start", "--prepare", "--hosts", ",".join(self.namespaces.addresses), *options, named=False)

    def started(self):
        for number in range(len(self.namespaces.names)):
            self.start_server(number)
        wait_until(lambda: self.run("status").returncode == 0)

    def start_server(self, number):
        self.launch(["ip", "netns", "exec", self.namespaces.names[number]], number)
