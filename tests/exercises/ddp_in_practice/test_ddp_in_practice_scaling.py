"""What more ranks would give: the truth, values that are none, pictures."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.ddp_in_practice.scaling.judge import JUDGE
from gpuedu.exercises.ddp_in_practice.scaling.judge.scaling_truth import (
    efficiency,
    recipe,
    step_s,
)
from gpuedu.exercises.ddp_in_practice.scaling.measure import time_steps
from gpuedu.exercises.ddp_in_practice.scaling.picture import draw_efficiencies
from gpuedu.exercises.ddp_in_practice.scaling.scaling_model import Net, Work
from gpuedu.exercises.ddp_in_practice.scaling.scaling_pictures import draw_measured, draw_to_a_goal
from gpuedu.exercises.predictions import reveal_card
from gpuedu.figures.style import alt_text
from gpuedu.multi import launch
from gpuedu.multi.network import Link
from tests.exercises.ddp_in_practice.scaling_survive_answers import (
    answers_with,
    hand_in,
    lost,
    stored,
    told,
)
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

NET = Net(4, Link("fast", 1e-6, 1e11), Link("slow", 1e-5, 1e9))
WORK = Work(fixed_s=1e-3, sample_s=1e-3, backward=0.5, bytes=8e6, last_bytes=1e6)
REAL = {"alone_s": 0.01, "weak_s": 0.012, "strong_s": 0.007, "ranks": 2, "batch": 64}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_the_prediction_is_what_the_model_says():
    seen = []
    for rate, latency_s in ((1.25e9, 50e-6), (50e9, 9.6e-6)):
        net = Net(1, NET.within, Link("across", latency_s, rate))
        work = Work(25e-3, 0.0, 0.0, 102.2e6, 102.2e6)
        # Two rings, one of them of no bytes: their latencies are in it.
        seen.append(100 * efficiency(64, 64, work, net, "weak"))
    assert seen == pytest.approx([13, 83], abs=4)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("scaling", 13),
        ("scaling", 13.0029),
        ("scaling-infiniband", 83),
        ("scaling-infiniband", 82.7),
    ],
)
def test_a_prediction_that_is_rounded_is_right(name, said):
    prediction = JUDGE.predictions[name]
    card = reveal_card(name, prediction, said, prediction.truth)
    assert card.heading == f"{name}: right"


def test_one_rank_sends_nothing_and_a_node_more_is_slower():
    assert step_s(1, 7, WORK, NET) == pytest.approx(8e-3)
    assert step_s(5, 35, WORK, NET) > step_s(4, 28, WORK, NET)


def test_steps_of_a_recipe_fall_to_the_least():
    _, _, steps = recipe(10**6, 64, 0.1, 1000, 64, "sgd")
    assert steps == pytest.approx(500, rel=1e-3)


def test_a_wrong_step_costs_no_other_property():
    report = hand_in("scaling", stored("scaling", "gives_time_back"))
    assert lost(report) == {"hidden"}


@pytest.mark.parametrize("value", ["None", "'2'", "float('nan')", "[1.0]", "1 / 0", "0", "-1.0"])
def test_what_is_no_time_loses_its_points_only(value):
    report = hand_in("scaling", f"def step_s(ranks, batch, work, net):\n    return {value}\n")
    assert {"compute", "exchange", "hidden"} <= lost(report)
    assert "recipe" not in lost(report)


@pytest.mark.parametrize(
    "value", ["None", "(1, 2)", "7", "('a', 1, 2)", "float('inf'),) * 3", "{}"]
)
def test_what_is_no_recipe_is_told(value):
    value = "(" + value if value.endswith("* 3") else value
    text = f"def recipe(ranks, batch, peak, steps, scale, optimizer):\n    return {value}\n"
    assert lost(hand_in("scaling", text)) == {"recipe"}


def test_half_a_rank_is_told():
    text = "def most_ranks(counts, least, batch, work, net, scaling):\n    return 2.5\n"
    assert "whole number" in told(hand_in("scaling", text), "most")


@pytest.mark.parametrize("name", ["", "gives_time_back", "speed_up", "as_many_steps"])
def test_pictures_are_drawn_for_right_and_wrong_answers(name):
    text = stored("scaling", name) if name else ""
    step, reached, _, plan = answers_with("scaling", text)
    for ax in (draw_efficiencies(step, reached), draw_to_a_goal(step, plan), draw_measured(REAL)):
        assert len(alt_text(ax)) > 60
        assert overlapping_texts(ax) == []
        assert texts_outside(ax) == []
        assert smallest_text_pt(ax) >= 8.5


def test_pictures_are_drawn_for_nothing():
    assert draw_efficiencies(lambda *_: 0.0, lambda *_: 0.0)
    assert draw_to_a_goal(lambda *_: 0.0, lambda *_: (1, 1, 0.0))
    with pytest.raises(AnswerError, match="number"):
        draw_efficiencies(lambda *_: 0.0, lambda *_: None)


def test_what_was_measured_is_drawn():
    assert "real processes" in draw_measured(REAL).get_title(loc="left")
    with pytest.raises(AnswerError, match="nothing was measured"):
        draw_measured(None)


def test_steps_are_timed_on_a_rank():
    torch = pytest.importorskip("torch")
    x, y = torch.zeros(8, 64), torch.zeros(8, dtype=torch.int64)
    (times,) = launch(time_steps, 1, x, y, [8, 4], backend="gloo").results
    assert len(times) == 2
    assert all(one > 0 for one in times)
