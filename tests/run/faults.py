"""What goes wrong around `weir run`: wrong use, programs it cannot enter, flushes that fail, kills, other users."""
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import Checks, Directory  # noqa: E402

WRITE = "open({!r}, 'w').write('text')"


def wrong_use(checks, weir):
    with Directory(weir) as there:
        done = subprocess.run([weir, "run", "--dir", there.scratch / "missing", "--", "true"], capture_output=True,
                              text=True, timeout=60, check=False)
        checks.equal("a directory that is not there", (done.returncode, "missing" in done.stderr), (2, True))
        done = there.run(["true"], consistency="strong")
        checks.equal("an unknown model", (done.returncode, "posix" in done.stderr), (2, True))
        policy = there.scratch / "policy"
        policy.write_text("# weir policy 1\nwrong  *\n")
        done = there.run(["true"], "--policy", policy)
        checks.equal("a policy with an unknown model", (done.returncode, "wrong" in done.stderr), (2, True))
        done = there.run(["true"], consistency="auto")
        checks.equal("auto without knowing the program", (done.returncode, "--trace" in done.stderr), (2, True))
        done = there.run(["no-such-program-here"])
        checks.equal("a program that is not there", done.returncode, 2)
        checks.equal("nothing was left in the directory", os.listdir(there.path), [])


def failed_start(checks, weir):
    """Nothing stays that the next run would take for a job that has died."""
    with Directory(weir) as there:
        done = there.run(["/bin/true"], "--hosts", "n1,n2", env=dict(os.environ, PATH=str(there.scratch)))
        checks.equal("no way to start servers on other hosts", (done.returncode, "mpirun" in done.stderr), (3, True))
        checks.equal("leaves nothing", os.listdir(there.path), [])
        run = [weir, "run", "--dir", there.path, "--buffer", "/proc", "--", "true"]
        done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=False)
        checks.equal("a buffer that the server cannot write", (done.returncode, "cannot make the directory: " in done.stderr),
                     (4, True))
        checks.equal("leaves nothing either", os.listdir(there.path), [])
        done = there.run(["true"])
        checks.equal("and the next run goes on", (done.returncode, done.stderr if done.returncode else ""), (0, ""))


def static_program(checks, weir):
    with Directory(weir) as there:
        source = there.scratch / "static.c"
        source.write_text('#include <unistd.h>\nint main(void) { return write(1, "past", 4) != 4; }\n')
        program = there.scratch / "static"
        if not shutil.which("cc") or subprocess.run(["cc", "-static", "-o", program, source], capture_output=True,
                                                    check=False).returncode != 0:
            return checks.skip("static program", "none can be built")
        done = there.run([program])
        checks.equal("a statically linked program", (done.returncode, "weir fs mount" in done.stderr), (3, True))
        done = there.run(["sh", "-c", f"{program} > {there.path}/out"])
        return checks.equal("one further down is found out", (done.returncode, "4 B" in done.stderr), (0, True))


def statuses(checks, weir):
    with Directory(weir) as there:
        done = there.run(["sh", "-c", f"echo x > {there.path}/x; exit 7"], "--json")
        checks.equal("the program's status", done.returncode, 7)
        document = json.loads(done.stdout)
        checks.equal("the summary", (document["schema"], document["status"], document["files"],
                                     document["bytes"]["flushed_bytes"]), ("weir.run/1", 7, 1, 2))
        done = there.run(["sh", "-c", "kill -9 $$"])
        checks.equal("a signal", done.returncode, 128 + 9)
        done = subprocess.run(["sh", "-c", 'trap "" HUP INT PIPE; exec "$@"', "sh", weir, "run", "--dir", there.path, "--buffer",
                               there.buffer, "--", "sh", "-c", "kill -HUP $$; kill -INT $$; kill -PIPE $$; exit 5"],
                              capture_output=True, text=True, timeout=120, check=False)
        checks.equal("signals that are ignored, as with nohup", (done.returncode, done.stderr if done.returncode != 5 else ""),
                     (5, ""))


def keep_and_tools(checks, weir):
    with Directory(weir) as there:
        first = there.run(["sh", "-c", f"cd {there.path}; mkdir d; echo text > d/a; echo more > b"], "--keep", "--json")
        job = json.loads(first.stdout)["job_file"]
        checks.equal("nothing is flushed yet", [n for n in os.listdir(there.path) if not n.startswith(".")], ["d"])

        def fs(*words):
            return subprocess.run([weir, "fs", *map(str, words), "--job", job], capture_output=True, text=True, timeout=60,
                                  check=False)

        listed = json.loads(fs("ls", "--json").stdout)["entries"]
        checks.equal("ls", [(row["path"], row["kind"], row["buffered_bytes"]) for row in listed],
                     [("b", "file", 5), ("d", "directory", 0)])
        checks.equal("cat", fs("cat", there.path / "d/a").stdout, "text\n")
        checks.equal("stat", json.loads(fs("stat", there.path / "d/a", "--json").stdout)["size_bytes"], 5)
        checks.equal("du", json.loads(fs("du", "--json").stdout)["buffered_bytes"], 10)
        outside = there.scratch / "copy"
        checks.equal("cp out", (fs("cp", there.path / "b", outside).returncode, outside.read_text()), (0, "more\n"))
        checks.equal("cp in", (fs("cp", outside, there.path / "d/in").returncode, fs("cat", there.path / "d/in").stdout),
                     (0, "more\n"))
        for what, words in (("of what is not there", (there.path / "no", outside)),
                            ("of what is not there, outside", (there.scratch / "no", there.path / "b")),
                            ("of a directory", (there.scratch, there.path / "b")),
                            ("onto itself", (there.path / "b", there.path)),
                            ("onto itself by another way", (there.path / "d/../b", there.path / "b"))):
            checks.equal(f"cp {what}", fs("cp", *words).returncode, 2)
        checks.equal("and the target is as it was", (outside.read_text(), fs("cat", there.path / "b").stdout),
                     ("more\n", "more\n"))
        again = there.run(["sh", "-c", f"cat {there.path}/b {there.path}/d/in"])
        checks.equal("the next step reads from the buffer", (again.returncode, again.stdout), (0, "more\nmore\n"))
        checks.equal("and then everything is flushed", sorted(os.listdir(there.path)), ["b", "d"])


def flush_that_fails(checks, weir):
    with Directory(weir) as there:
        program = f"mkdir {there.path}/gone && echo x > {there.path}/gone/x; echo written; read line"
        run = subprocess.Popen([weir, "run", "--dir", there.path, "--buffer", there.buffer, "--", "sh", "-c", program],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        run.stdout.readline()
        (there.path / "gone").rmdir()  # past Weir, so that it does not see it: the directory of a buffered file goes
        errors = run.communicate("\n", timeout=120)[1]
        checks.equal("a flush that fails", (run.returncode, "weir fs stop" in errors), (4, True))
        (there.path / "gone").mkdir()
        done = there.run(["cat", there.path / "gone/x"])
        checks.equal("nothing is lost", (done.returncode, done.stdout), (0, "x\n"))
        checks.equal("once the cause is gone", (there.path / "gone/x").read_text(), "x\n")


def runs_at_once(checks, weir):
    """They share the servers, and only the last one ends them."""
    with Directory(weir) as there:
        command = [str(word) for word in (weir, "run", "--dir", there.path, "--buffer", there.buffer, "--", "sh", "-c")]
        both = [subprocess.Popen([*command, f"echo {name} > {there.path}/{name}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True) for name in "xy"]
        ends = [run.communicate(timeout=120)[1] for run in both]
        statuses_of_both = [run.returncode for run in both]
        checks.equal("two that begin at once", (statuses_of_both, ends if any(statuses_of_both) else ""), ([0, 0], ""))
        checks.equal("leave their files", {name: (there.path / name).read_text() for name in os.listdir(there.path)},
                     {"x": "x\n", "y": "y\n"})
        program = f"cd {there.path}; exec 3> a; echo 1 >&3; echo begun; read line; echo 2 >&3; echo b > b"
        long = subprocess.Popen([*command, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)
        long.stdout.readline()
        done = there.run(["sh", "-c", f"cat {there.path}/a; echo c > {there.path}/c"])
        checks.equal("one that ends first", (done.returncode, done.stdout, "another run" in done.stderr), (0, "1\n", True))
        checks.equal("has flushed", (there.path / "c").read_text(), "c\n")
        for option in (["--consistency", "session"], ["--verify"], ["--stage-in"], ["--workers", "3"], ["--local", "2"],
                       ["--quota", "1G"], ["--buffer", str(there.scratch)]):
            done = subprocess.run([weir, "run", "--dir", there.path, *option, "--", "true"], capture_output=True, text=True,
                                  timeout=120, check=False)
            checks.equal(f"{option[0]} meanwhile", (done.returncode, "another" in done.stderr), (2, True))
        done = there.run(["no-such-program-here-either"])
        checks.equal("a program that is not there, meanwhile", done.returncode, 2)
        errors = long.communicate("\n", timeout=120)[1]
        checks.equal("the last one", (long.returncode, errors if long.returncode else ""), (0, ""))
        checks.equal("has all its data, and ends the job",
                     {name: (there.path / name).read_text() for name in os.listdir(there.path) if name[0] != "."},
                     {"a": "1\n2\n", "b": "b\n", "c": "c\n", "x": "x\n", "y": "y\n"})
        checks.equal("of which nothing is left", [name for name in os.listdir(there.path) if name[0] == "."], [])


def killed_run(checks, weir):
    with Directory(weir) as there:
        script = f"import os, time\n{WRITE.format(str(there.path / 'a'))}\nprint('written', flush=True)\ntime.sleep(100)"
        run = subprocess.Popen([weir, "run", "--dir", there.path, "--consistency", "session", "--buffer", there.buffer, "--",
                                sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True)
        run.stdout.readline()
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        done = there.run(["cat", there.path / "a"])
        checks.equal("what was closed before a kill is there", (done.returncode, done.stdout), (0, "text"))
        checks.equal("and is flushed", (there.path / "a").read_text(), "text")


def killed_server(checks, weir):
    with Directory(weir) as there:
        done = there.run(["sh", "-c", f"echo x > {there.path}/x"], "--keep")
        checks.equal("kept", done.returncode, 0)
        for pid in list(there.server_pids()):
            os.kill(pid, signal.SIGKILL)
        while list(there.server_pids()):
            time.sleep(0.01)
        done = there.run(["true"])
        checks.equal("a job that has died before", (done.returncode, "weir fs recover" in done.stderr), (2, True))
        done = subprocess.run([weir, "fs", "recover", there.path, "--remove"], capture_output=True, text=True, timeout=60,
                              check=False)
        checks.equal("is brought out and leaves nothing", (done.returncode, (there.path / "x").read_text(),
                                                           os.listdir(there.path)), (0, "x\n", ["x"]))
        done = there.run(["cat", there.path / "x"])
        checks.equal("and the next run goes on", (done.returncode, done.stdout), (0, "x\n"))


def directory_without_a_server(checks, weir):
    """Names that cannot be asked for are not left out: who copies the directory must not believe it whole."""
    with Directory(weir) as there:
        started = there.fs("start", "--local", 2, "--buffer", there.buffer, "--backing", there.path, "--consistency",
                           "session", "--limit", "1s")
        checks.equal("servers start", started.returncode, 0)
        agent = there.agent()
        agent.do(f"open({str(there.path / 'a')!r}, 'w').close()")
        checks.equal("a directory", agent.do(f"os.listdir({str(there.path)!r})"), ["a"])
        agent.do(f"fd = os.open({str(there.path)!r}, os.O_RDONLY)")
        for pid in list(there.server_pids()):
            if b"--server\0001" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)
        checks.equal("one that cannot be listed whole", agent.do(f"os.listdir({str(there.path)!r})"), "EIO")
        checks.equal("by its descriptor", agent.do("os.listdir(fd)"), "EIO")


def other_user(checks, weir):
    if os.geteuid() != 0:
        return checks.skip("another user", "only root can become one")
    nobody = pwd.getpwnam("nobody")
    with Directory(weir) as there:
        os.chmod(there.scratch, 0o755)
        os.chmod(there.path, 0o755)
        os.chmod(there.buffer, 0o755)
        first = there.run(["sh", "-c", f"umask 077; echo secret > {there.path}/x"], "--keep", "--json")
        job = json.loads(first.stdout)["job_file"]
        there.job = job

        def as_nobody(*words):
            return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, check=False,
                                  user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[],
                                  env=dict(os.environ, WEIR_JOB=str(job), LD_PRELOAD=str(there.library()),
                                           WEIR_BURST_DIR=str(there.path)))

        done = as_nobody("cat", there.path / "x")
        checks.equal("another user cannot read through the library", (done.returncode != 0, done.stdout), (True, ""))
        done = as_nobody(weir, "fs", "cat", there.path / "x")
        checks.equal("nor with the tools", (done.returncode != 0, done.stdout), (True, ""))
        done = as_nobody("sh", "-c", f"cat {there.buffer}/*/*/segments/* {there.path}/.weir-*/job.json")
        checks.equal("nor the buffer and the secret", (done.returncode != 0, done.stdout), (True, ""))
        checks.equal("the job ends", (there.stop(), os.listdir(there.path)), (0, ["x"]))
        mode = (there.path / "x").stat().st_mode & 0o777
        return checks.equal("the file keeps its mode", (mode, (there.path / "x").read_text()), (0o600, "secret\n"))


def rights(checks, weir):
    """Files of others, and own ones that are read-only: a user may do what it may without Weir."""
    if os.geteuid() != 0:
        return checks.skip("files of others", "only root can make some")
    nobody = pwd.getpwnam("nobody")
    group = 50
    script = """
import errno, os, sys
os.chdir(sys.argv[1])
for name in ('own', 'read-only', 'of another', 'of a group', 'secret'):
    for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
        try: os.close(os.open(name, flags)); said = 'ok'
        except OSError as error: said = errno.errorcode[error.errno]
        print(name, flags, said)
    print(name, [os.access(name, mode, effective_ids=effective) for mode in (os.R_OK, os.W_OK) for effective in (False, True)])
"""
    said = []
    for through_weir in (False, True):
        with Directory(weir) as there:
            for name, mode, user, of in (("own", 0o600, nobody.pw_uid, nobody.pw_gid), ("read-only", 0o444, nobody.pw_uid, 0),
                                         ("of another", 0o644, 0, 0), ("of a group", 0o660, 0, group), ("secret", 0o600, 0, 0)):
                (there.path / name).write_text("text")
                (there.path / name).chmod(mode)
                os.chown(there.path / name, user, of)
            for path in (there.scratch, there.path, there.buffer):
                os.chown(path, nobody.pw_uid, nobody.pw_gid)
            who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": [group]}
            command = ["/usr/bin/python3", "-c", script, str(there.path)]  # which others may run, too
            done = there.run(command, **who) if through_weir else subprocess.run(command, capture_output=True, text=True,
                                                                                timeout=60, check=False, **who)
            said.append((done.returncode, done.stdout))
    checks.equal("rights without Weir", (said[0][0], "of a group 1 ok" in said[0][1], "of another 1 EACCES" in said[0][1]),
                 (0, True, True))
    return checks.equal("rights", said[1], said[0])


def links(checks, weir):
    with Directory(weir) as there:
        outside = there.scratch / "outside"
        outside.write_text("outside\n")
        (there.path / "out").symlink_to(outside)
        (there.path / "up").symlink_to("..")
        script = (f"cd {there.path}; echo x > a; ln -s a l; cat l; echo y >> l; cat a; cat out; "
                  f"echo z >> {there.path}/up/dir/a; cat a; ln -s missing dangling; echo made > dangling; cat missing")
        done = there.run(["sh", "-c", script])
        checks.equal("links", (done.returncode, done.stdout), (0, "x\nx\ny\noutside\nx\ny\nz\nmade\n"))


def main():
    weir = sys.argv[1]
    checks = Checks()
    for check in (wrong_use, failed_start, static_program, statuses, keep_and_tools, flush_that_fails, runs_at_once, killed_run,
                  killed_server, directory_without_a_server, other_user, rights, links):
        check(checks, weir)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
