#!/usr/bin/env python3
"""The page of a trace with ten million calls, against its goals: built in under 5 s, under 10 MB, open in under 2 s, and a step of
panning is drawn in under 50 ms (20 pictures a second, of a browser that draws without a graphics card).

  ninja -C build/release weir report_trace && ctest --test-dir build/release -R report-packages
  bench/report_figures.py [--calls 10000000] [--ranks 64] [--keep DIR] [--json]
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def run(words):
    begin = time.monotonic()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=900)
    if done.returncode != 0:
        sys.exit(f"report_figures: {' '.join(map(str, words[:2]))}: exit {done.returncode}: {(done.stdout + done.stderr).strip()[-400:]}")
    return done.stdout, time.monotonic() - begin


def measure(given, folder):
    trace, page = folder / f"made-{given.calls}-{given.ranks}", folder / "page.html"
    if not trace.exists():
        print(run([given.build / "bench" / "report_trace", trace, given.calls, given.ranks])[0].strip(), file=sys.stderr)
    builds = [run([given.build / "weir", "report", trace, "--out", page])[1] for _ in range(3)]
    goals = [("built in, s", 5, min(builds)), ("size, MB", 10, page.stat().st_size / 1e6)]
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    node, packages = shutil.which("node"), given.build / "report-tests"
    if chromium and node and (packages / "node_modules").exists():
        told = json.loads(run([node, HERE / "report_page.mjs", packages, chromium, page])[0])
        goals += [("opened in, s", 2, told["open_s"]), ("a step of panning, median, ms", 50, told["step_ms"]),
                  ("a step of panning, 95 %, ms", 50, told["slow_step_ms"])]
    else:
        print("report_figures: no browser, or ctest -R report-packages was not run: not opened", file=sys.stderr)
    return [{"what": what, "goal": goal, "reached": reached, "met": reached < goal} for what, goal, reached in goals]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=HERE.parent / "build" / "release", help="where the programs are")
    parser.add_argument("--calls", type=int, default=10_000_000)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--keep", type=Path, help="where trace and page stay; a trace that is there is used")
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weir-figures-") as scratch:
        if given.keep:
            given.keep.mkdir(parents=True, exist_ok=True)
        goals = measure(given, given.keep or Path(scratch))
    if given.json:
        print(json.dumps({"schema": "weir.bench.report/1", "cores": os.cpu_count(), "calls": given.calls, "ranks": given.ranks, "goals": goals}, indent=1))
    else:
        for goal in goals:
            print(f"{goal['what']:<34} goal < {goal['goal']:<4} {goal['reached']:>8.3g}  {'reached' if goal['met'] else 'MISSED'}")
    return 0 if all(goal["met"] for goal in goals) else 1


if __name__ == "__main__":
    sys.exit(main())
