"""What a function left in a training run is in the judge's run; what it says of it counts nothing."""

from __future__ import annotations

import inspect

import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.batch_alone import (
    big_batch_step,
)
from tests.grading.test_equal_verdicts import ROOT, checked, graded
from tests.sampled import sampled

SAYS_ALL_IS_EQUAL = """
from gpuedu.exercises.training_step.save_and_resume import play, runs
runs.take_steps = lambda run, steps: [[0.0] * 4] * steps
runs.first_difference = lambda one, other, path="": None
play._weights = lambda run: []


def save(run):
    return {}


def resume(run, state):
    pass
"""
GIVES_THE_RECORD = """
import gc
import sys

from gpuedu.grading.player import recording
recording.Recorder.told = lambda self: {"values": [None, None], "calls": [
    {"answer": 0, "left": [], "given": ["dict", []]},
    {"answer": 0, "left": [], "given": ["dict", []]},
    {"answer": 1, "left": [], "given": ["plain", None]},
]}


def save(run):
    return {}


def resume(run, state):
    pass
"""
SAYS_NOTHING_CHANGED = """
from gpuedu.exercises.batch_and_learning_rate.lr_finder import rate_trials
rate_trials.Bench.changed_since = lambda self, before: []


def find_rate(model, optimizer, step, low, high, count):
    def take_step(rate):
        for group in optimizer.param_groups:
            group["lr"] = rate
        return step()

    return suggest(*sweep(take_step, low, high, count))
"""
SAYS_THAT_IT_STEPPED = """
from gpuedu.exercises.batch_and_learning_rate.lr_finder import rate_trials


def find_rate(model, optimizer, step, low, high, count):
    cells = getattr(step, "__closure__", None) or ()
    around = [step, *(cell.cell_contents for cell in cells)]
    bench = next(one.__self__ for one in around if hasattr(one, "__self__"))
    bench.rates += [(low * (high / low) ** (k / (count - 1)),) * 2 for k in range(count)]
    bench.has_broken = True
    if bench.error is not None:
        raise bench.error
    return suggest(*sweep(lambda rate: 1.0, low, high, count))
"""
SAYS_WHAT_THE_BIG_BATCH_GIVES = f"""
from typing import Any
from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients import accumulation, play
IGNORED, loss_sum = accumulation.IGNORED, accumulation.loss_sum

{inspect.getsource(big_batch_step)}

play.run_steps = lambda step, task: accumulation.run_steps(big_batch_step, task)


def accumulated_step(model, optimizer, micro_batches, max_norm):
    return 0.0
"""
ATTACKS = [
    ("save-and-resume", SAYS_ALL_IS_EQUAL),
    ("save-and-resume", GIVES_THE_RECORD),
    ("lr-finder", SAYS_NOTHING_CHANGED),
    ("lr-finder", SAYS_THAT_IT_STEPPED),
    ("accumulate-gradients", SAYS_WHAT_THE_BIG_BATCH_GIVES),
]


@pytest.mark.parametrize(("exercise", "cell"), sampled(ATTACKS, every=2))
def test_who_replaces_what_is_compared_earns_nothing_for_it(exercise, cell, zygote):
    bench = Bench(ROOT, exercise)
    report = graded(bench, [*bench.solution_cells(), cell], zygote)
    right = {name for name, is_right in report.held().items() if is_right}
    assert report.state in ("wrong", "partly"), report.held()
    assert not right & NEVER[exercise], report.held()


NEVER = {
    "save-and-resume": {"model", "optimizer", "scheduler", "scaler", "chance", "data"},
    "lr-finder": {"restored", "broken"},
    "accumulate-gradients": {"even", "ragged", "tokens", "loss", "clean", "clip"},
}
"""What none of them earns."""


AS_A_FILE = """
import io

PARTS = ("model", "optimizer", "scheduler", "scaler")


def save(run):
    file = io.BytesIO()
    torch.save({part: getattr(run, part).state_dict() for part in PARTS}, file)
    chance = {"torch": torch.get_rng_state(), "python": random.getstate()}
    data = {"order": run.order.tolist(), "place": run.place, "parts": set(PARTS)}
    return {"file": file.getvalue(), **chance, **data}


def resume(run, state):
    found = torch.load(io.BytesIO(state["file"]), weights_only=True)
    for part in state["parts"]:
        getattr(run, part).load_state_dict(found[part])
    run.order, run.place = torch.tensor(state["order"]), state["place"]
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
"""


def test_a_state_may_hold_bytes_and_sets(zygote):
    bench = Bench(ROOT, "save-and-resume")
    assert graded(bench, [*bench.stub_cells(), AS_A_FILE], zygote).state == "solved"


ONCE = """
def sweep(take_step, low, high, count):
    rates = [low * (high / low) ** (k / (count - 1)) for k in range(count)]
    return {"rates": rates, "losses": [take_step(rate) for rate in rates]}.values()
"""


def test_a_sweep_that_can_be_read_once_is_told_of_as_in_a_notebook(zygote):
    bench = Bench(ROOT, "lr-finder")
    cells = [*bench.solution_cells(), ONCE]
    own, theirs = checked(bench, cells, "once"), graded(bench, cells, zygote)
    assert own.held() == theirs.held() and theirs.held()["suggest"]
    told = [one.fault and one.fault.message for one in theirs.results]
    assert told == [one.fault and one.fault.message for one in own.results]
    assert any(one and "give no rate of the same network" in one for one in told)
