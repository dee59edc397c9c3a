"""hidden-syncs: the loop that is given, what is counted of it, and the simulated device beside it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from gpuedu.exercises.contract import Undecided
from gpuedu.exercises.registry import load_picture
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.hidden_syncs import waiting
from gpuedu.exercises.training_step.hidden_syncs.given_loop import run_loop
from gpuedu.exercises.training_step.hidden_syncs.issuing import DEVICE, HOST, KERNEL_S, issue
from gpuedu.exercises.training_step.hidden_syncs.judge import JUDGE, cases
from gpuedu.exercises.training_step.hidden_syncs.play import play_hidden_syncs
from gpuedu.figures.style import alt_text
from tests.exercises.stored import stored_answers

CASES = cases(np.random.default_rng(4))
SOURCE = Path(__file__).parents[3] / "solutions/09_training_step/09_training_step.py"


def given(name):
    """What a given cell of the lesson defines."""
    text = SOURCE.read_text("utf-8")
    cells = [cell for cell in re.split(r"^# %%", text, flags=re.M) if f"def {name}(" in cell]
    namespace = {"torch": torch}
    exec(compile(cells[0].partition("\n")[2], "<given>", "exec"), namespace)
    return namespace[name]


def never_waits(model, optimizer, batches):
    losses = []
    for inputs, targets in batches:
        loss = torch.nn.functional.cross_entropy(model(inputs), targets, ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    losses = torch.stack(losses)
    return {"losses": losses, "norms": losses, "wrong": 0, "best": losses.min()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_the_oracle_does_what_the_given_loop_does(case):
    seen = play_hidden_syncs([given("train_waiting")], case.inputs)
    with quiet_torch():
        expected = run_loop(case.inputs)
    for name in ("losses", "norms", "wrong", "best", "weights"):
        np.testing.assert_allclose(seen[name], expected[name], rtol=1e-12)
    faults = list(JUDGE.verdict(case, seen))
    assert [fault.property for fault in faults] == ([] if case.decides else ["once"])


def test_the_given_loop_waits_as_often_as_the_prediction_says():
    case = CASES[0]
    steps = len(case.inputs["data"])
    seen = play_hidden_syncs([given("train_waiting")], case.inputs)
    every_step = sum(count // steps for count, *_ in seen["waits"])
    assert every_step == JUDGE.predictions["hidden-syncs"].truth


def test_the_loop_is_watched_on_a_machine_with_a_gpu_too(monkeypatch):
    """The run's tensors stand for the device's on every machine."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert play_hidden_syncs([given("train_waiting")], CASES[0].inputs)["waits"]
    listing = load_picture("training-step/waits")(given("train_waiting"))
    assert listing.splitlines()[-1].split() == ["145", "in", "20", "steps"]
    with quiet_torch():
        run = issue(given("train_waiting"), *waiting.begin(CASES[0].inputs), first=11, steps=2)
    assert run.busy < 0.8


def test_norms_are_above_1_in_some_steps_and_below_in_others():
    for seed in range(12):
        inputs = cases(np.random.default_rng(seed))[0].inputs
        with quiet_torch():
            norms = run_loop(inputs)["norms"]
        assert norms.min() < 0.95 < 1.05 < norms.max()


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("never_scales_gradients", {"weights"}),
        ("unknown_ones_are_class_0", {"losses"}),
        ("adds_the_losses_up", {"losses"}),
        ("norm_of_scaled_gradients", {"log"}),
    ],
)
def test_what_follows_from_another_run_is_undecided(name, wrong):
    (train,) = stored_answers("hidden-syncs", "wrong", name).values()
    faults = list(JUDGE.seen(CASES[0], play_hidden_syncs([train], CASES[0].inputs)))
    assert {one.property for one in faults if not isinstance(one, Undecided)} == wrong
    assert "once" in {one.property for one in faults if isinstance(one, Undecided)}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"losses": torch.ones(24)}, "shape (24,)"),
        ({"losses": 1.0}, "a list or a tensor"),
        ({"norms": [1.0] * 3}, "3 entries after 25 steps"),
        ({"wrong": None}, "wrong should be a number"),
        ({"best": torch.ones(2)}, "should be one number"),
    ],
)
def test_a_log_of_another_form_is_told_and_the_rest_is_judged(change, told):
    seen = play_hidden_syncs([lambda *of: never_waits(*of) | change], CASES[0].inputs)
    assert told in seen["problem"]
    assert {"losses", "log"} <= {fault.property for fault in JUDGE.verdict(CASES[0], seen)}


def test_a_log_of_lists_of_tensors_is_read_and_only_the_waits_to_come_are_told():
    log = never_waits(*waiting.begin(CASES[0].inputs))
    lists = {name: list(log[name]) for name in ("losses", "norms")}
    seen = play_hidden_syncs([lambda *of: never_waits(*of) | lists], CASES[0].inputs)
    assert "problem" not in seen
    (fault,) = (one for one in JUDGE.verdict(CASES[0], seen) if one.property == "once")
    assert fault.message == "`losses` is a list of 25 tensors: reading them takes 25 waits"


def test_what_is_no_log_is_told():
    seen = play_hidden_syncs([lambda *_: None], CASES[0].inputs)
    assert "the log should be a dict, got None" in seen["problem"]


def test_a_loop_that_never_waits_keeps_the_device_busy():
    with quiet_torch():
        run = issue(never_waits, *waiting.begin(CASES[0].inputs), first=11, steps=2)
    assert run.waits == 0
    assert run.busy == pytest.approx(1.0)
    (computes,) = run.timeline.on(DEVICE)
    assert computes.duration_s / KERNEL_S == pytest.approx(round(computes.duration_s / KERNEL_S))


def test_waits_leave_the_device_idle():
    with quiet_torch():
        run = issue(given("train_waiting"), *waiting.begin(CASES[0].inputs), first=11, steps=2)
    assert run.busy < 0.8
    waits = run.timeline.on(HOST, "wait")
    assert len(waits) >= 14
    assert {one.label for one in waits} >= {"boolean mask", "nonzero", ".item()", ".cpu()"}


def test_the_list_of_waits_names_the_lines():
    listing = load_picture("training-step/waits")(given("train_waiting"))
    rows = [line.strip().split(maxsplit=1) for line in listing.splitlines()[1:]]
    assert ["40", "boolean mask"] in rows  # two on one line; only a notebook has the line's text
    assert rows[-1] == [str(sum(int(times) for times, _ in rows[:-1])), "in 20 steps"]


def test_the_picture_of_a_loop_that_takes_no_steps_says_so():
    picture = load_picture("hidden-syncs")
    assert "takes no steps" in alt_text(picture(lambda *_: {}))
