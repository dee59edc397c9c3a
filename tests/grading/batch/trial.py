"""A class at scale, graded once whole and once killed again and again: the same to the last grade.

``python -m tests.grading.batch.trial --learners 120 --kills 20`` (needs the sandbox; half an hour
on two cores) prints what it did as JSON, and ends with status 1 where something differs.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil

from gpuedu.course.demo import lay_out, run_nbgrader
from gpuedu.grading.batch.secret import NAME
from gpuedu.grading.sandbox import PlayingLimits
from gpuedu.grading.sandbox.cgroups import _parents, sweep_groups
from gpuedu.grading.verdict import SUFFIX, read_verdicts
from tests.grading.batch.class_of import ROOT, comparable, make_class

LESSONS = ("02_first_kernels", "09_training_step")
KINDS = "rprwphrbpwru"
"""Of every twelve: four right, three partly, two wrong, one each hostile, broken and unsolved."""


def main() -> int:
    """Run the trial; 0 where everything is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learners", type=int, default=120)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="work in this folder, and keep it")
    given = parser.parse_args()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="gpuedu-trial-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        told = Trial(folder, given.learners, given.kills, given.seed).run()
    finally:
        if given.keep is None:
            shutil.rmtree(folder)
    print(json.dumps(told, indent=1))
    return 1 if told["wrong"] else 0


class Trial:
    """One class in a folder; ``wrong`` collects what is not as it should be."""

    def __init__(self, folder: Path, learners: int, kills: int, seed: int) -> None:
        self.folder, self.kills, self.chance = folder, kills, random.Random(seed)
        self.submitted, self.wrong = folder / "submitted", []
        kinds = [KINDS[number // 2 % len(KINDS)] for number in range(learners)]
        self.expected = {}
        for place, lesson in enumerate(LESSONS):
            mine = "".join(kinds[place::2])
            made = make_class(folder / "made" / lesson, lesson, mine, seed + place)
            for learner, wanted in made.items():
                # Names begin with a number that is drawn, so the kinds are graded in any order.
                name = f"{self.chance.randrange(10**6):06}-{lesson[:2]}-{learner}"
                (self.submitted / name).mkdir(parents=True)
                shutil.move(folder / "made" / lesson / learner / lesson, self.submitted / name)
                self.expected[name] = wanted
        shutil.rmtree(folder / "made")

    def run(self) -> dict:
        """All of it, and what came out."""
        began_s = time.monotonic()
        whole, broken = self.folder / "whole", self.folder / "broken"
        self._grade_to_the_end(whole)
        whole_s = time.monotonic() - began_s
        self._compare_with_expected(read_verdicts(whole))
        broken.mkdir()
        shutil.copy(whole / NAME, broken)
        kills = [self._grade_and_kill(broken) for _ in range(self.kills)]
        self._grade_to_the_end(broken)
        self._compare("verdicts", *map(comparable, map(read_verdicts, (whole, broken))))
        left = self._left()
        with ThreadPoolExecutor(2) as pool:
            exports = list(pool.map(self._export, (whole, broken)))
        self._compare("nbgrader's exports", *exports)
        verdicts = read_verdicts(whole)
        return {
            "submissions": len(self.expected),
            "states": count(one["state"] for one in verdicts),
            "exercises": count(part["state"] for one in verdicts for part in one["exercises"]),
            "kills": len(kills),
            "verdicts at each kill": [one for _, one in kills],
            "seconds until each kill": [round(one, 1) for one, _ in kills],
            "exported rows": len(exports[0]),
            "exported points": sum(float(row["score"] or 0) for row in exports[0]),
            "left": left,
            "seconds whole": round(whole_s),
            "seconds in all": round(time.monotonic() - began_s),
            "wrong": self.wrong,
        }

    def _start(self, out: Path) -> subprocess.Popen:
        command = [sys.executable, "-m", "gpuedu", "grade", str(self.submitted)]
        log = (self.folder / f"{out.name}.log").open("a")
        with log:
            return subprocess.Popen([*command, "--out", str(out)], stdout=log, stderr=log, cwd=ROOT)

    def _grade_to_the_end(self, out: Path) -> None:
        before = marks(out)
        if self._start(out).wait():
            self.wrong.append(f"gpuedu grade failed: see {out.name}.log")
        self._require_kept(before, marks(out))

    def _grade_and_kill(self, out: Path) -> tuple[float, int]:
        """Let it grade until a moment that is drawn, and kill it; seconds, and the verdicts then.

        The moment is some time behind a number of new verdicts. Behind none it may be while the
        run still starts; by time alone it would never come past a submission that takes longer.
        """
        before, began_s = marks(out), time.monotonic()
        aim = len(before) + self.chance.randint(0, len(self.expected) // self.kills)
        run = self._start(out)
        while run.poll() is None and len(marks(out)) < aim:
            time.sleep(0.05)
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(self.chance.uniform(0, 6))
        seconds = time.monotonic() - began_s
        below = psutil.Process(run.pid).children(recursive=True) if run.poll() is None else []
        run.send_signal(signal.SIGKILL)
        run.wait()
        _, alive = psutil.wait_procs(below, timeout=20)
        if alive:
            self.wrong.append(f"still running after a kill: {alive}")
        now = marks(out)
        self._require_kept(before, now)
        return seconds, len(now)

    def _require_kept(self, before: dict, now: dict) -> None:
        """Each verdict that was there is still the same file."""
        for name, mark in before.items():
            if now.get(name) != mark:
                self.wrong.append(f"{name} was there, and was written again")

    def _compare(self, what: str, one: list, other: list) -> None:
        if len(one) != len(other):
            self.wrong.append(f"{what} differ: {len(one)} and {len(other)}")
        for left, right in zip(one, other, strict=False):
            differ = {
                key: (left[key], right.get(key)) for key in left if left[key] != right.get(key)
            }
            if differ:
                self.wrong.append(f"{what} differ: {str(differ)[:2000]}")

    def _compare_with_expected(self, verdicts: list) -> None:
        if sorted(one["learner"] for one in verdicts) != sorted(self.expected):
            self.wrong.append("not every submission has just one verdict")
        for verdict in verdicts:
            wanted = self.expected[verdict["learner"]]
            found = {one["id"]: one["points"] for one in verdict["exercises"]}
            if verdict["state"] != wanted.state or found.keys() != wanted.points.keys():
                self.wrong.append(f"{verdict['learner']}: {verdict['state']} {verdict['reason']}")
                continue
            for exercise, points in wanted.points.items():  # below zero: less than all of them
                got = found[exercise]
                if not (got < -points if points < 0 else got == points):
                    self.wrong.append(f"{verdict['learner']}, {exercise}: {got}, not {points}")

    def _left(self) -> dict:
        """Processes of this class, and control groups without an owner, that are left."""
        running = []
        for one in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if str(self.submitted) in " ".join(one.cmdline()):
                    running.append(one.pid)
        sweep_groups()
        groups = [one for parent, _ in _parents(PlayingLimits()) for one in parent.glob("gpuedu-*")]
        dead = [one.name for one in groups if not psutil.pid_exists(int(one.name.split("-")[1]))]
        if running or dead:
            self.wrong.append(f"left: {running} {dead}")
        return {"processes": len(running), "control groups": len(dead)}

    def _export(self, verdicts: Path) -> list[dict]:
        """The rows that nbgrader exports, with these verdicts in its gradebook."""
        course = self.folder / f"course-{verdicts.name}"
        course.mkdir()
        for lesson in LESSONS:
            lay_out(ROOT, course, lesson)
        with (course / "nbgrader_config.py").open("a") as file:
            file.write("\nfrom gpuedu.grading.nbgrader import configure as take_verdicts\n")
            file.write("\ntake_verdicts(get_config())\n")
        shutil.copytree(verdicts, course / "verdicts")
        shutil.copytree(self.submitted, course / "submitted", symlinks=True)
        before = marks(course / "verdicts")
        for lesson in LESSONS:
            lay_out_for_nbgrader(course / "submitted", lesson)
            run_nbgrader(course, lambda _: None, "generate_assignment", lesson)
            with contextlib.suppress(Exception):  # it says so of submissions that nobody can read
                run_nbgrader(course, lambda _: None, "autograde", lesson)
        self._require_kept(before, marks(course / "verdicts"))
        run_nbgrader(course, lambda _: None, "export", "--to", "grades.csv")
        with (course / "grades.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row.pop("timestamp", None)
        return sorted(rows, key=lambda row: (row["assignment"], row["student_id"]))


def lay_out_for_nbgrader(submitted: Path, lesson: str) -> None:
    """Put notebooks where nbgrader wants them: beside an archive, what is in it.

    What no notebook can be read from is taken away: nbgrader itself would stop at it.
    """
    for place in submitted.glob(f"*/{lesson}"):
        for archive in place.glob("*.zip"):
            with zipfile.ZipFile(archive) as bundle:
                archive.with_suffix(".ipynb").write_bytes(bundle.read(f"{lesson}.ipynb"))
            archive.unlink()
        if "-broken" in place.parent.name:
            shutil.rmtree(place.parent)


def marks(out: Path) -> dict[str, tuple[int, int]]:
    """For each verdict in a folder what would change if it were written again."""
    found = {one.name: one.stat() for one in out.glob(f"*{SUFFIX}")}
    return {name: (status.st_ino, status.st_mtime_ns) for name, status in found.items()}


def count(states: list[str]) -> dict[str, int]:
    """How often each state is there."""
    states = sorted(states)
    return {one: states.count(one) for one in dict.fromkeys(states)}


if __name__ == "__main__":
    sys.exit(main())
