"""What drivers of whole-program tests share: counting checks, running programs, a directory to work in."""
import os
import signal
import subprocess
import tempfile

# In the background of a script it is ignored, and so it would be by what is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)

SKIPPED = 77


class Checks:
    """Counts what was expected and prints what was not met; good checks print one line each."""

    def __init__(self):
        self.failed = 0
        self.made = 0
        self.skipped = 0

    def expect(self, what, right, detail=""):
        self.made += 1
        self.failed += not right
        print(f"{'ok' if right else 'FAILED'}: {what}{f': {detail}' if detail and not right else ''}", flush=True)
        return right

    def equal(self, what, seen, wanted):
        return self.expect(what, seen == wanted, f"{seen!r:.600} instead of {wanted!r:.600}")

    def skip(self, what, why):
        self.skipped += 1
        print(f"skipped: {what}: {why}", flush=True)

    def exit_code(self):
        if self.skipped:
            print(f"{self.skipped} skipped, {self.made} checks made", flush=True)
        if self.made == 0:
            return SKIPPED
        return 1 if self.failed else 0


def scratch_directory(prefix="weir-test-"):
    """A new directory under the real name of TMPDIR, so that names compare as text."""
    return tempfile.TemporaryDirectory(prefix=prefix, dir=os.path.realpath(tempfile.gettempdir()))


def run(command, **keywords):
    keywords.setdefault("timeout", 300)
    return subprocess.run([str(word) for word in command], capture_output=True, **keywords)
