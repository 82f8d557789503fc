"""One rank of the probe: runs what it is told, line by line, and says what came out."""
import errno  # noqa: F401
import fcntl  # noqa: F401
import mmap  # noqa: F401
import os
import stat  # noqa: F401
import sys


def fork_and_write(fd, data):
    child = os.fork()
    if child == 0:
        os.write(fd, data)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def map_and_write(fd, at, data):
    memory = mmap.mmap(fd, 0)
    memory[at:at + len(data)] = data
    memory.flush()
    memory.close()


def append(path, records, mark):
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for i in range(records):
        os.write(fd, b"%s%06d\n" % (mark, i))
    os.close(fd)


def spawn(command, fd):
    import subprocess
    return subprocess.run(["sh", "-c", command], stdout=fd, check=False).returncode


def error_of(call, *arguments):
    try:
        call(*arguments)
    except OSError as failed:
        return errno.errorcode[failed.errno]
    return "done"


names = dict(globals())
for line in sys.stdin:
    try:
        result = eval(line, names)
    except SyntaxError:
        try:
            exec(line, names)
            result = None
        except OSError as failed:
            result = errno.errorcode[failed.errno]
    except OSError as failed:
        result = errno.errorcode[failed.errno]
    print(repr(result), flush=True)
