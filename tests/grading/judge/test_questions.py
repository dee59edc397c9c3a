"""Cases that are played for the questions of a card have one limit on time, all together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpuedu.course.proof import Bench
from gpuedu.grading.judge import examining
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.sandbox.limits import PlayingLimits
from tests.grading.test_equal_verdicts import ROOT, cells_with

SEED = 3
RIGHT_AND_SLOW_LATER = """
import time
from gpuedu.grading.player.recording import Recorder
whole, played, right = Recorder.play, [], best_k

def play(self, inputs):
    played.append(inputs)
    if len(played) > CASES:
        time.sleep(2.5)
    return whole(self, inputs)
Recorder.play = play

def best_k(*sizes):
    return right(*sizes) + (len(played) <= CASES)
"""


def test_who_is_slow_when_cases_are_played_for_questions_has_no_more_time_for_it(
    zygote, monkeypatch
):
    played, whole = [], examining._Table._play_one

    def note(*given):
        played.append(given)
        return whole(*given)

    monkeypatch.setattr(examining._Table, "_play_one", note)
    bench = Bench(ROOT, "checkpointing")
    count = len(bench.exercise.judge.cases(np.random.default_rng(SEED)))
    cells = [*bench.solution_cells(), f"CASES = {count}\n{RIGHT_AND_SLOW_LATER}"]
    exercise = replace(bench.exercise, play=replace(bench.exercise.play, time_limit_s=6.0))
    with Stage(zygote, PlayingLimits()) as stage:
        report = examining.examine_cells(stage, exercise, cells_with(bench, cells), SEED)
    assert [name for name, holds in report.held().items() if not holds] == ["best"]
    assert 1 < len(played) - count <= 3
