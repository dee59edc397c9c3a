"""A planted ``nvidia-smi``: a program that keeps its power limit in a file."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

BUS = "0000:1B:00.0"
DEFAULTS = {"limit": 500.0, "default": 500.0, "least": 200.0, "refuses": "", "ignores": False}


class Planted:
    """Put on the PATH, with the state in ``folder``; ``calls`` are the arguments it was given."""

    def __init__(self, folder, monkeypatch, **state):
        self.state_file = folder / "state.json"
        self.calls_file = folder / "calls.txt"
        self.calls_file.touch()
        self.change(**{**DEFAULTS, **state})
        program = folder / "nvidia-smi"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -S {__file__} {folder} "$@"\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def change(self, **state):
        known = json.loads(self.state_file.read_text()) if self.state_file.exists() else {}
        self.state_file.write_text(json.dumps({**known, **state}))

    @property
    def limit_w(self):
        return json.loads(self.state_file.read_text())["limit"]

    @property
    def set_w(self):
        calls = [line.split() for line in self.calls_file.read_text().splitlines()]
        return [float(call[-1]) for call in calls if "-pl" in call]


def main(folder, *arguments):
    path = Path(folder) / "state.json"
    state = json.loads(path.read_text())
    with (Path(folder) / "calls.txt").open("a") as calls:
        calls.write(" ".join(arguments) + "\n")
    assert arguments[:2] == ("-i", BUS)
    if arguments[2] == "-pl":
        return set_limit(path, state, float(arguments[3]))
    names = arguments[2].removeprefix("--query-gpu=").split(",")
    told = {
        "power.draw": state.get("draw", 321.5),
        "clocks.sm": 1410,
        "temperature.gpu": state.get("temperature", 55),
        "power.limit": state["limit"],
        "power.default_limit": state["default"],
        "power.min_limit": state["least"],
    }
    print(", ".join(str(told[name]) for name in names))
    return 0


def set_limit(path, state, limit):
    if state["refuses"]:
        print(state["refuses"], file=sys.stderr)
        return 4
    if state["ignores"]:
        print("Changing power management limit is not supported. Treating as warning.")
        return 0
    path.write_text(json.dumps({**state, "limit": limit}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
