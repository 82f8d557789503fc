"""The project's own C and C++ files, as git sees them (also those not yet added)."""
import subprocess
from pathlib import Path


def project_files(root, endings):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, capture_output=True)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:  # an exported tree without git
        names = [str(p.relative_to(root)) for p in Path(root).rglob("*") if "build" not in p.parts]
    return sorted(name for name in names if name.endswith(endings) and (Path(root) / name).is_file())
