"""Objects that a record makes odd: nothing of them is written over, and their work is nobody else's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from gpuedu.course.proof import Bench
from gpuedu.exercises.contract import Answer, Play
from gpuedu.grading.player.recording import Recorder
from gpuedu.grading.replaying import play_again
from gpuedu.grading.wire import pack, unpack
from tests.grading.test_equal_verdicts import ROOT, graded


def steps_after(answers, inputs):
    """A play that goes on with the optimizer that a function got."""
    (change,) = answers
    weight = torch.nn.Parameter(torch.zeros(100_000))
    optimizer = torch.optim.Adam([weight])
    change(optimizer, optimizer.param_groups, optimizer.param_groups[0])
    weight.grad = torch.ones_like(weight)
    optimizer.step()
    return {"weight": weight[0].item()}


STEPPING = Play((Answer("change"),), steps_after)
WEIGHT = 4
LITTLE = ["tensor", "float32", [1], np.zeros(4, np.uint8)]
OPTIONS = {**torch.optim.Adam([torch.zeros(1)]).defaults, "fused": True}
PLAIN = [[name, ["plain", option]] for name, option in OPTIONS.items()]
GROUP = ["dict", [["params", ["list", [["known", WEIGHT]]]], *PLAIN]]
STATE = ["dict", [["step", LITTLE], ["exp_avg", LITTLE], ["exp_avg_sq", LITTLE]]]
SHORT = {"state": ["tuple", [["tuple", [["known", WEIGHT], STATE]]]]}
FUSED = {
    "as a part": [["parts", {"param_groups": ["list", [GROUP]], **SHORT}]],
    "in the list": [["parts", SHORT], ["list", [GROUP]]],
    "in the group": [["parts", SHORT], None, GROUP],
}


@pytest.mark.parametrize("name", FUSED)
def test_no_kernel_believes_a_shape_that_a_record_claims(name):
    recorder = Recorder(STEPPING, [lambda *_: None])
    recorder.play({})
    told = unpack(pack(recorder.told()))
    told["calls"][0]["left"] = FUSED[name]
    again = play_again(STEPPING, {}, told, 10)
    assert again.observed is None and "does not fit" in again.problem.message


def test_a_view_of_a_shape_that_takes_long_to_multiply_is_none():
    recorder = Recorder(STEPPING, [lambda *_: None])
    recorder.play({})
    told = unpack(pack(recorder.told()))
    told["calls"][0]["given"] = ["view", WEIGHT, [10**4_000] * 900, [1], 0]
    again = play_again(STEPPING, {}, told, 10)
    assert "an unknown form" in again.problem.message and again.seconds < 1


SLOW = """
import numpy as np
from gpuedu.grading.player.recording import Recorder
whole = Recorder.told


def told(self):
    record = whole(self)
    call = record["calls"][0]
    call["left"] = [None, ["plain", [[0] * 100 for _ in range(300)]]]
    call["hooks"] = [[303, "register_hook", 1]] * 12_000
    return record


Recorder.told = told
"""


def test_a_record_that_takes_long_is_the_learners(zygote):
    bench = Bench(ROOT, "overlap")
    bench.exercise = replace(bench.exercise, play=replace(bench.exercise.play, time_limit_s=2.0))
    report = graded(bench, [*bench.solution_cells(), SLOW], zygote)
    told = [result.fault.message for result in report.results if result.fault]
    assert report.points == 0
    assert any("did not finish within 2 s" in one for one in told), told
