"""Studies of MPI programs: the shipped checkpoint example, and LAMMPS where it is installed."""
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import Checks, Study, agrees, environment, scratch_directory  # noqa: E402

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"


def main():
    weir, checks = sys.argv[1], Checks()
    environment()
    launcher = shutil.which("mpirun.openmpi")
    if launcher is None or not shutil.which("mpicc.openmpi"):
        checks.skip("all", "no Open MPI")
        return checks.exit_code()
    start = [launcher, "--oversubscribe", "-n", "4"]
    with scratch_directory() as scratch:
        study = Study(weir, scratch)
        subprocess.run(["mpicc.openmpi", "-O1", "-o", study.scratch / "checkpoint", EXAMPLES / "checkpoint.c"], check=True)
        (study.scratch / "out").mkdir()
        done = study.run([*start, "./checkpoint", "out", "-c", "64", "-s", "2"], "--runs", 3)
        if checks.equal("the checkpoint example", done.returncode, 0):
            document = agrees(checks, "checkpoint", study, runs=3)
            checks.equal("what it writes", (document["files"], document["written_bytes"], document["processes"]), (2, 4 * 64 * 4096 * 2, 4))
            checks.expect("its consistency is proven", document["consistency"]["proven"] and document["consistency"]["races"] == 0)
            checks.equal("same bytes", (document["results"]["same"], document["results"]["varying"]), (True, []))
            checks.equal("every byte is counted in each run", {row["written_bytes"] for row in study.samples()}, {str(document["written_bytes"])})
        else:
            print(done.stdout, done.stderr)
        if shutil.which("lmp"):
            done = study.run([*start, "lmp", "-in", EXAMPLES / "lammps" / "melt.in"], "--runs", 2, out="melt.study")
            if checks.equal("LAMMPS", done.returncode, 0):
                document = agrees(checks, "LAMMPS", study, out="melt.study", runs=2)
                checks.equal("its directory", document["directory"], str(study.scratch / "melt-results"))
                checks.equal("LAMMPS: same bytes", (document["results"]["same"], document["results"]["varying"]), (True, []))
            else:
                print(done.stdout, done.stderr)
        else:
            checks.skip("LAMMPS", "not installed")
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
