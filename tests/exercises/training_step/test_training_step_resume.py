"""save-and-resume: the runs, how states are compared, and what the card says of a lost part."""

from __future__ import annotations

import copy
import io
import random
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.save_and_resume.judge import JUDGE, cases
from gpuedu.exercises.training_step.save_and_resume.play import play_save_and_resume
from gpuedu.exercises.training_step.save_and_resume.runs import (
    KINDS,
    PARTS,
    first_difference,
    make_run,
    parts_of,
    take_steps,
)

CASE = cases(np.random.default_rng(0))[0]
SOURCE = Path(__file__).parents[3] / "solutions/10_training_memory/10_training_memory.py"


def save(run):
    state = {part: getattr(run, part).state_dict() for part in PARTS[:4]}
    state["model"]["in training mode"] = run.model.training
    chance = {"torch": torch.get_rng_state(), "python": random.getstate()}
    return copy.deepcopy({**state, "chance": chance, "data": {"order": run.order[run.place :]}})


def resume(run, state, parts=PARTS):
    for part in ("model", "optimizer", "scheduler", "scaler"):
        if part in parts:
            kept = {key: value for key, value in state[part].items() if " " not in str(key)}
            getattr(run, part).load_state_dict(kept)
    if "data" in parts:
        run.order, run.place = state["data"]["order"], 0
    if "chance" in parts:
        torch.set_rng_state(state["chance"]["torch"])
        random.setstate(state["chance"]["python"])


def faults_of(save, resume, case=CASE):
    return list(JUDGE.verdict(case, play_save_and_resume([save, resume], case.inputs)))


@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler")
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_run_and_another_seed_another(kind):
    with quiet_torch():
        first, again, other = (take_steps(make_run(kind, seed), 8) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("case", cases(np.random.default_rng(1)), ids=lambda case: case.label)
def test_all_parts_together_are_the_whole_run(case):
    assert faults_of(save, resume, case) == []


@pytest.mark.parametrize("part", PARTS)
def test_each_part_that_is_forgotten_is_named_and_no_other(part):
    left = [one for one in PARTS if one != part]
    for case in cases(np.random.default_rng(2)):
        lost = [
            f.property for f in faults_of(save, lambda r, s, left=left: resume(r, s, left), case)
        ]
        assert lost == [part]


def test_a_run_that_cannot_go_on_is_told():
    def another_model(run, state):
        run.model = copy.deepcopy(run.model)
        resume(run, state)

    (fault,) = faults_of(save, another_model)
    assert fault.property == "model"
    assert "cannot take a step" in fault.message


def test_random_states_are_left_as_they_were():
    before = random.getstate(), torch.get_rng_state()
    play_save_and_resume([save, resume], CASE.inputs)
    assert random.getstate() == before[0]
    assert bool((torch.get_rng_state() == before[1]).all())


def test_equal_numbers_of_another_dtype_are_a_difference():
    assert first_difference(torch.ones(2), torch.ones(2, dtype=torch.float64)) == ""
    assert first_difference({"a": 1}, {"a": 1.0}) == "['a']"
    assert first_difference([1, (2, 3)], [1, (2, 3)]) is None
    nan = torch.tensor([float("nan")])
    assert first_difference(nan, nan.clone()) is None


def test_every_kind_survives_a_file():
    for kind in KINDS:
        with quiet_torch():
            state = save(make_run(kind, 3))
        file = io.BytesIO()
        torch.save(state, file)
        file.seek(0)
        assert first_difference(state, torch.load(file, weights_only=True)) is None


def test_the_run_that_the_lesson_gives_is_the_first_kind():
    """The learner reads one run and is judged on others: they must not differ in how they step."""
    text = SOURCE.read_text("utf-8")
    (cell,) = [cell for cell in re.split(r"^# %%", text, flags=re.M) if "class Run:" in cell]
    namespace = {"torch": torch, "random": random}
    exec(compile(cell.partition("\n")[2], "<given>", "exec"), namespace)
    with quiet_torch():
        ours = make_run("Adam, cosine, batch norm", 5)
        take_steps(ours, 12)
        torch.manual_seed(5)
        random.seed(5)
        theirs = namespace["Run"](ours.inputs, ours.targets)
        for _ in range(12):
            theirs.step()
        assert first_difference(parts_of(ours), parts_of(theirs)) is None
