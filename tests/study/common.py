"""`weir study` as a user runs it, in a directory of its own."""
import csv
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import Checks, scratch_directory  # noqa: E402, F401


class Study:
    """Studies in a scratch directory, with commands that are given as lists."""

    def __init__(self, weir, scratch):
        self.weir = str(Path(weir).resolve())
        self.scratch = Path(scratch)

    def words(self, command, *options, out="study"):
        return [str(word) for word in (self.weir, "study", "--out", out, *options, "--", *command)]

    def run(self, command, *options, out="study", **keywords):
        keywords.setdefault("timeout", 600)
        return subprocess.run(self.words(command, *options, out=out), cwd=self.scratch, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, **keywords)

    def tool(self, *words):
        done = subprocess.run([str(word) for word in (self.weir, *words)], cwd=self.scratch, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=600)
        return json.loads(done.stdout)

    def document(self, name="study.json", out="study"):
        return json.loads((self.scratch / out / name).read_text())

    def samples(self, out="study"):
        with open(self.scratch / out / "runs.csv", newline="") as file:
            return list(csv.DictReader(file))


def median(rows, where, column):
    return statistics.median(float(row[column]) for row in rows if row["where"] == where)


def agrees(checks, what, study, out="study", runs=None):
    """The study's verdict, gain and fits are those of the single commands on the same trace and samples."""
    document, rows = study.document(out=out), study.samples(out=out)
    check = study.tool("check", f"{out}/trace", "--json")
    model = document["model"]
    checks.equal(f"{what}: verdict of weir check", (document["consistency"]["weakest_model"], document["consistency"]["races"]),
                 (check["weakest_model"], check["races"]))
    checks.equal(f"{what}: run under it", model, check["weakest_model"] or "posix")
    if runs is not None:
        checks.equal(f"{what}: runs", [sum(row["where"] == where for row in rows) for where in ("own", model)], [runs, runs])
    for field, column in (("io", "io_s"), ("run", "run_s")):
        factor = median(rows, "own", column) / median(rows, model, column)
        gain = document["gain"][field]
        checks.expect(f"{what}: gain of {column}", abs(gain["factor"] - factor) < 1e-6 * factor, f"{gain} against {factor}")
        checks.expect(f"{what}: interval of {column}", gain["low"] <= gain["factor"] <= gain["high"], str(gain))
        name = f"fit-{field}.json"
        fitted = study.document(name, out=out)
        again = study.tool("fit", f"{out}/runs.csv", "--group", "where", "--json", "--column", column, "--max-components",
                           fitted["options"]["max_components"])
        checks.equal(f"{what}: {name} is what weir fit says", again["groups"], fitted["groups"])
    best = {group["key"]["where"]: group["models"][0]["family"] for group in study.document("fit-io.json", out=out)["groups"]}
    checks.equal(f"{what}: families", {where: told["family"] for where, told in document["io_models"].items()}, best)
    plans = study.document("plan.json", out=out)["groups"]
    checks.equal(f"{what}: each kind of runs has a plan", [group.get("skipped") for group in plans], [None] * len(plans))
    checks.equal(f"{what}: runs needed", document["runs_needed"], {group["key"]["where"]: group.get("runs") for group in plans})
    checks.equal(f"{what}: by the fitted models", {group["key"]["where"]: group.get("model", {}).get("family") for group in plans}, best)
    page = (study.scratch / out / "page.html").read_text() if document["page"] else ""
    if page:
        held = json.loads(page.split('id="results">')[1].split("</script>")[0])
        told = [part["document"] for part in held["parts"] if part["document"]["schema"] == "weir.study/1"]
        checks.equal(f"{what}: the page holds the study", told, [document])
        checks.expect(f"{what}: the page holds trace, check, fits, plan and run",
                      {"weir.trace-view/1", "weir.check/1", "weir.fit/1", "weir.plan/1", "weir.run/1", "weir.patterns/1",
                       "weir.interfere-classify/1"} <= {part["document"]["schema"] for part in held["parts"]})
    else:
        checks.skip(f"{what}: page", "built without it")
    return document


def tree(directory):
    """Names and bytes of all files."""
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(Path(directory).rglob("*")) if path.is_file()}


def environment():
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
