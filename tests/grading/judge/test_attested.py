"""What was seen beside a learner's code is of numbers and texts, and takes no judge's time."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.attesting import attested
from gpuedu.exercises.contract import Answer, Case, Play
from gpuedu.exercises.training_step.hidden_syncs.given_loop import run_loop
from gpuedu.grading.describing import describe
from gpuedu.grading.judge import wary
from gpuedu.grading.judge.memory import at_most_more
from gpuedu.grading.player.recording import Recorder
from gpuedu.grading.replaying import play_again
from gpuedu.grading.wire import pack, unpack
from tests.grading.test_equal_verdicts import ROOT, graded


def looks(answers, inputs):
    return {"seen": attested(lambda: 3), "other": answers[0](2)}


PLAY = Play((Answer("look"),), looks, observes="what is seen", attests=True)


def again_with(seen):
    recorder = Recorder(PLAY, [lambda value: value])
    recorder.play({})
    told = recorder.told() | {"attested": [describe(seen)]}
    return play_again(PLAY, {}, unpack(pack(told)), 10)


@pytest.mark.parametrize("seen", [3, "a", None, [[1, ("b", 2.5)], {"c": [True]}]])
def test_numbers_and_texts_are_seen(seen):
    assert again_with(seen).observed == {"seen": seen, "other": 2}


@pytest.mark.parametrize("seen", [np.ones(3), [[np.float64(1)]], {"a": (b"b",)}, {(1, 1j): 0}])
def test_nothing_else_is(seen):
    again = again_with(seen)
    assert again.observed is None and "an unknown form" in again.problem.message


LOOP = """
import numpy as np
import torch
from collections.abc import Mapping
from typing import Any
from torch import nn
from gpuedu.exercises.training_step.hidden_syncs.waiting import UNKNOWN, Log, weights_of
""" + inspect.getsource(run_loop)
TELLS = """
from gpuedu.exercises.training_step.hidden_syncs import waiting
from gpuedu.grading.player.recording import Recorder
from gpuedu.grading.describing import describe
whole, begin, of_run = Recorder.told, waiting.begin, []
waits = [[1, "item", 3, "text", ""]]

def begun(inputs):
    waiting.begin = begin
    of_run[:] = [run_loop(inputs)]
    waiting.begin = begun
    return begin(inputs)
waiting.begin = begun

def told(self):
    seen = {"waits": waits, "waited": {}, "early": [], "mixed": [], "graphs": 1, **more()}
    return whole(self) | {"attested": [describe(seen)]}
Recorder.told = told
"""
WHAT_THE_RUN_GIVES = """
def more():
    return {name: one.tolist() if hasattr(one, "tolist") else one for name, one in of_run[0].items()}

def train_ahead(model, optimizer, batches):
    empty = [0.0] * len(batches)
    return {"losses": empty, "norms": empty, "wrong": 0, "best": 0}
"""
MUCH = """
waits += [[np.ones((2_000, 1)), *waits[0][1:]], [np.ones((1, 2_000)), *waits[0][1:]]]
more = dict
"""


def test_what_is_seen_beside_it_is_nothing_else(zygote):
    bench = Bench(ROOT, "hidden-syncs")
    held = graded(bench, [*bench.stub_cells(), LOOP + TELLS + WHAT_THE_RUN_GIVES], zygote).held()
    assert not any(held[name] for name in ("losses", "log", "weights"))
    report = graded(bench, [*bench.solution_cells(), LOOP + TELLS + MUCH], zygote)
    assert report.points == 0
    assert "an unknown form" in report.results[0].fault.message


def test_a_judge_that_would_take_too_much_memory_has_no_result_to_judge():
    def verdict(case, observed):
        np.ones((observed["side"], 1)) + np.ones(observed["side"])
        return []

    exercise = Bench(ROOT, "hidden-syncs").exercise
    judge = replace(exercise.judge, verdict=verdict)
    judged = wary.wary(replace(exercise, judge=judge))
    case = Case("", {})
    assert list(judged.judge.verdict(case, {"side": 10})) == []
    fault, *_ = judged.judge.verdict(case, {"side": 60_000})
    assert "does not have the form that is judged" in fault.message
    with at_most_more(2**30):
        np.ones(2**20)
