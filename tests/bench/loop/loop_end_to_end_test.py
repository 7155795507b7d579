#!/usr/bin/env python3
"""Runs bench/loop/loop with the real launcher on two pretended nodes: MPI RUNTIME PROGRAM LOOP LAUNCHER."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

RUNTIME, PROGRAM, LOOP, LAUNCHER = (os.path.abspath(path) for path in sys.argv[2:6])


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, not {wanted!r}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "out.json"
        done = subprocess.run(
            [sys.executable, LOOP, "-n", "4", "--nodes", "2", "--program", PROGRAM, "--launcher", LAUNCHER, "--runtime",
             RUNTIME, "--sizes", "4K,40K", "--noise-us", "0,1000", "--steps", "10", "--step-us", "1000", "--rounds", "1",
             "--timeout", "60", "--json", str(file)], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        print(done.stdout)
        document = json.loads(file.read_text(encoding="utf-8"))
    expect("rows", [(row["bytes"], row["noise_us"]) for row in document["summary"]],
           [(4096, 0), (4096, 1000), (40960, 0), (40960, 1000)])
    for row in document["summary"]:
        expect("contenders", list(row["medians"]), ["plain", "static", "competitive"])
        # All meet the same draws.
        expect("floors", len({medians["floor_us"] for medians in row["medians"].values()}), 1)
        for medians in row["medians"].values():
            expect("a floor", medians["floor_us"] > 0, row["noise_us"] > 0)
            expect("time in the call above 0", medians["in_call_us"] > 0, True)
            expect("the whole loop at least its steps", medians["whole_us"] >= 10 * 1000, True)
        ratio = row["medians"]["competitive"]["in_call_us"] / row["medians"]["static"]["in_call_us"]
        expect("ratio", row["competitive_to_static"]["in_call_us"], ratio)
    expect("nodes", {run["report"]["job"]["nodes"] for run in document["runs"]}, {2})
    expect("runs", len(document["runs"]), 2 * 3)


main()
