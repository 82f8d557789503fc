"""Interference on the loop testbed, measured by `weir` and compared with the goals; as root, on a quiet machine.

    python3 bench/interference_goals.py WEIR STORE matrix --runs 9 --time 2s [--show]
    python3 bench/interference_goals.py WEIR STORE advice --runs 3 --time 2s

The matrices go into the store and are resumed there with more --runs, so that they can be measured in pieces. `advice` takes
programs of four kinds, asks `weir interfere advise` which to pair, and runs the pairs it recommends and those it discourages.
Exit code 1 when a goal is missed.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

SHORT = {"open_write_close": "owc", "write_seek": "ws", "aggregate_write": "aw"}
PROGRAMS = {"checkpoints": "owc:1M", "outofcore": "ws:1M", "output": "aw:1M", "dumps": "aw:16M"}


def weir(given, *arguments):
    done = subprocess.run([given.weir, "interfere", *map(str, arguments), "--json"], capture_output=True)
    sys.stderr.write(done.stderr.decode())
    if done.returncode != 0:
        sys.exit(f"weir interfere {' '.join(map(str, arguments))} ended with {done.returncode}")
    return json.loads(done.stdout)


def goal(name, value, fine):
    print(f"{'ok    ' if fine else 'MISSED'} {name}: {value}")
    return fine


def matrix(given):
    too = ["--disturbed-too"] if given.disturbed_too else []
    if given.show:
        answer = weir(given, "matrix", "--from", given.store, *too)
    else:
        kept = ["--resume"] if Path(given.store).exists() else []
        answer = weir(given, "matrix", "--testbed", "loop", "--chunk", "1M,16M", "--runs", given.runs, "--time", given.time, "--db",
                      given.store, *kept, *too)
    fine = True
    for alone in answer["alone"]:
        if alone["variation_percent"] is not None:
            fine &= goal(f"{SHORT[alone['probe']]} of {alone['chunk_bytes'] >> 20} MiB alone varies by, of {alone['runs']} runs",
                         f"{alone['variation_percent']:.1f} %, {alone['bytes_per_second'] / (1 << 20):.0f} MiB/s", alone["variation_percent"] <= 5)
    for cell in answer["cells"]:
        loss, chunk, pair = cell["degradation_percent"], cell["chunk_bytes"] >> 20, f"{SHORT[cell['probe']]} beside {SHORT[cell['signal']]}"
        if loss is None:
            fine &= goal(f"{pair} at {chunk} MiB", "no run counts", False)
            continue
        wanted = True
        if chunk == 16:
            wanted = 40 <= loss <= 60
        elif cell["signal"] == "aggregate_write" and cell["probe"] != cell["signal"]:
            wanted = loss >= 75
        elif cell["probe"] == "aggregate_write" and cell["probe"] != cell["signal"]:
            wanted = loss <= 20
        interval = "" if cell["low"] is None else f" [{cell['low']:.0f}, {cell['high']:.0f}]"
        fine &= goal(f"{pair} at {chunk} MiB loses, of {cell['runs']} runs",
                     f"{loss:.0f} %{interval}, best of five {cell['best_of_five_percent']:.0f} %", wanted)
    return fine


def slowdown(cells, first, second):
    by = {(cell["probe"], cell["chunk_bytes"], cell["signal"], cell["signal_chunk_bytes"]): cell for cell in cells}
    times = [1 / (1 - min(by[(*a, *b)]["degradation_percent"], 99.9) / 100) for a, b in ((first, second), (second, first))]
    return sum(times) / 2


def advice(given):
    asked = [word for name, what in PROGRAMS.items() for word in ("--program", f"{name}={what}")]
    answer = weir(given, "advise", "--matrix", given.store, *asked, "--disturbed-too")
    kinds = {entry["name"]: (entry["pattern"], entry["chunk_bytes"]) for entry in answer["programs"]}
    measured = {"together": [], "worst": []}
    for pair in answer["pairs"]:
        for kind in measured:
            if pair[kind]:
                first, second = kinds[pair["first"]], kinds[pair["second"]]
                cells = weir(given, "sweep", "--testbed", "loop", "--probe", SHORT[first[0]], "--signal", SHORT[second[0]], "--chunk", first[1],
                             "--signal-chunk", second[1], "--runs", given.runs, "--time", given.time, "--disturbed-too")["cells"]
                measured[kind].append(slowdown(cells, first, second))
                print(f"{kind}: {pair['first']} + {pair['second']}: expected {pair['slowdown']:.1f} x "
                      f"[{pair['slowdown_low']:.1f}, {pair['slowdown_high']:.1f}], measured {measured[kind][-1]:.1f} x")
    return goal("recommended pairs are slower by less than discouraged ones", measured, max(measured["together"]) < min(measured["worst"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weir")
    parser.add_argument("store")
    parser.add_argument("part", choices=("matrix", "advice"))
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--time", default="2s")
    parser.add_argument("--show", action="store_true", help="judge what the store holds, measure nothing")
    parser.add_argument("--disturbed-too", action="store_true")
    given = parser.parse_args()
    sys.exit(0 if {"matrix": matrix, "advice": advice}[given.part](given) else 1)
