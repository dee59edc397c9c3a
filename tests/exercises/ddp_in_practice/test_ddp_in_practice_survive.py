"""Ranks that are killed: what the judge sees in diaries, what a card says, and the picture."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest

from gpuedu.exercises.ddp_in_practice.survive import judge as survive
from gpuedu.exercises.ddp_in_practice.survive import picture as survival_pictures
from gpuedu.exercises.ddp_in_practice.survive.interrupted_job import Shape
from gpuedu.exercises.ddp_in_practice.survive.judge.survival_files import disk_faults, every_faults
from gpuedu.exercises.ddp_in_practice.survive.judge.survival_states import (
    place_faults,
    random_faults,
    state_faults,
    whole_faults,
)
from gpuedu.exercises.ddp_in_practice.survive.picture import EVERY, PLAN, SHAPE, draw_survival
from gpuedu.exercises.ddp_in_practice.survive.planted_deaths import Plan
from gpuedu.exercises.ddp_in_practice.survive.survival_runs import Survival, run_survival
from gpuedu.exercises.ddp_in_practice.survive.survival_story import Story
from gpuedu.exercises.examine import Report
from gpuedu.figures.style import alt_text
from tests.exercises.ddp_in_practice.scaling_survive_answers import (
    answers_with,
    bench,
    hand_in,
    lost,
    stored,
    told,
)
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside
from tests.sampled import only_whole, sampled


@pytest.fixture(scope="module")
def run() -> Survival:
    return run_survival(*answers_with("survive"), SHAPE, EVERY, PLAN)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def changed(survival: Survival, change, **wanted) -> Story:
    """The story with entries of these values changed."""
    entries = [
        one | change(one) if all(one.get(key) == value for key, value in wanted.items()) else one
        for one in survival.entries
    ]
    return Story([one for one in entries if not one.get("gone")])


def says(faults) -> str:
    (fault,) = faults
    return f"{fault.message} {fault.cause}"


# Cases


def test_cases_separate_epochs_from_the_run():
    for seed in range(50):
        (case,) = survive.cases(np.random.default_rng(seed))
        shape, plan = Shape(**case.inputs["shape"]), Plan(**case.inputs["plan"])
        every = case.inputs["every"]
        kept = plan.step // every * every
        assert kept % shape.steps
        assert plan.step % every
        assert plan.write % every == plan.naming % every == 0
        assert plan.step < plan.write < plan.naming < shape.all_steps
        assert shape.all_steps % every


# A run that goes well, and what would be seen if an entry of it were another


def test_a_right_run_has_no_faults(run):
    story = Story(run.entries)
    assert not run.failure
    assert [story.death(attempt)["how"] for attempt in range(3)] == ["step", "save", "name"]
    assert [story.last_checkpoint(attempt) for attempt in (1, 2, 3)] == [12, 15, 18]
    inputs = {"shape": SHAPE.__dict__, "every": EVERY, "plan": PLAN.__dict__}
    case = replace(survive.cases(np.random.default_rng(0))[0], inputs=inputs)
    observed = {"entries": run.entries, "failure": "", "remedy": "", "attempt": 0}
    assert not list(survive.verdict(case, observed))


@pytest.mark.parametrize(
    ("first", "cause"),
    [
        (0, "from the beginning"),
        (7, "start of the epoch"),
        (14, "next epoch"),
        (11, "comes twice"),
        (13, "left out"),
    ],
)
def test_a_wrong_place_is_named(run, first, cause):
    story = changed(run, lambda one: {"step": first}, run="broken", kind="step", attempt=1, step=12)
    assert cause in says(place_faults(story, SHAPE))


def test_a_random_state_that_is_rank_0s_is_named(run):
    story = Story(run.entries)
    mine = story.unbroken(0, 12)["random"]
    wrong = changed(run, lambda one: {"random": mine}, kind="step", attempt=1, rank=1, step=12)
    assert "It has rank 0's" in says(random_faults(wrong))
    fresh = story.unbroken(0, 0)["random"]
    wrong = changed(run, lambda one: {"random": fresh}, kind="step", attempt=1, rank=0, step=12)
    assert "from its seed again" in says(random_faults(wrong))


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("weights", "this rank loaded none"),
        ("momentum", "without momentum"),
        ("schedule", "counted 0 steps"),
    ],
)
def test_a_state_that_is_fresh_is_named(run, name, cause):
    fresh = Story(run.entries).unbroken(0, 0)[name]
    wrong = changed(run, lambda one: {name: fresh}, kind="step", attempt=1, step=12)
    assert cause in says(state_faults(wrong))


def test_a_checkpoint_that_is_not_the_one_before_is_seen(run):
    wrong = changed(run, lambda one: {"weights": "other"}, kind="step", attempt=2, step=15)
    assert "half of a file was written" in says(whole_faults(wrong, "", ""))


def test_a_step_that_is_not_the_checkpoints_is_seen(run):
    wrong = changed(run, lambda one: {"step": 17}, run="broken", kind="step", attempt=2, step=15)
    told = says(whole_faults(wrong, "", ""))
    assert "rank 0 has the weights of the checkpoint after 15 steps, and goes on with st" in told
    assert not list(whole_faults(wrong, "", "", is_placed=False))


def test_a_checkpoint_that_was_whole_when_a_rank_was_killed_is_right(run):
    """As where it is killed while it writes something else, after the checkpoint."""
    story = Story(run.entries)
    at = story.death(1)["step"] + 1
    weights = story.unbroken(0, at)["weights"]
    new = changed(
        run,
        lambda one: {"step": at, "weights": weights},
        run="broken",
        kind="step",
        attempt=2,
        step=15,
    )
    assert not list(whole_faults(new, "", ""))


def test_two_files_of_a_checkpoint_are_told_where_a_death_falls_between_them(run):
    twice = [one for one in run.entries if (one["run"], one["kind"]) == ("unbroken", "save")]
    wrong = changed(run, lambda one: {"weights": "other"}, kind="step", attempt=2, step=15)
    assert "saved 2 files" in says(whole_faults(Story([*wrong.entries, *twice]), "", ""))


def test_a_file_from_another_folder_is_told(run):
    moved = changed(run, lambda one: {"source": "/dev/shm/part"}, run="unbroken", kind="naming")
    assert "checkpoint.pt came from /dev/shm" in says(disk_faults(moved))


def test_a_file_that_was_there_before_is_missed(run):
    gone = changed(run, lambda one: {"stays": False}, run="unbroken", kind="end")
    assert "a file named note was in the folder" in says(disk_faults(gone))


def test_a_rank_that_returned_while_the_other_trained_is_told(run):
    last = [one for one in run.entries if one["run"] == "again"]
    step = next(one for one in run.entries if one["kind"] == "step" and one["rank"] == 1)
    begun = [one for one in run.entries if one["attempt"] == 0 and one["run"] == "unbroken"]
    ended = [one for one in last if one["rank"] == 0]
    told = Story([*begun, *ended, step | {"run": "again"}]).left_alone(0)
    assert told.startswith(
        "a complete run, started again: rank 0 had returned from `train_job`, and"
    )
    assert not Story(begun).left_alone(0)


def with_checkpoints(run, steps) -> Story:
    """A story whose unbroken run has whole checkpoints after these numbers of steps."""
    save = next(one for one in run.entries if one["kind"] == "save")
    others = [one for one in run.entries if (one["run"], one["kind"]) != ("unbroken", "save")]
    saved = [save | {"run": "unbroken", "step": at - 1} for at in steps]
    return Story([*others, *saved])


@pytest.mark.parametrize(
    ("steps", "told", "cause"),
    [
        (range(3, 28, 3), "there is none after step 28, the last", "28 is no multiple of 3"),
        ((7, 14, 21, 28), "and there is one after the steps 7, 14", "ends of epochs"),
        ((1, 4, 7, 10, 13, 16, 19, 22, 25, 28), "there is one after the steps 1, 4", "one step"),
        ((), "there is none; expected one after the steps 3, 6", "wrote no file"),
    ],
)
def test_places_of_checkpoints_are_told_by_their_difference(run, steps, told, cause):
    found = says(every_faults(with_checkpoints(run, steps), SHAPE, EVERY))
    assert told in found
    assert cause in found


def test_a_place_is_told_from_1(run):
    story = changed(run, lambda one: {"step": 0}, run="broken", kind="step", attempt=1, step=12)
    found = says(place_faults(story, SHAPE))
    assert "killed in step 14, and the last checkpoint was after step 12" in found
    assert "goes on with step 1, expected 13" in found


def test_half_a_file_is_told_before_pytorchs_words(run):
    failure = (
        "rank 0 failed: OSError: [Errno 22], on line 7 of its cell: `saved = torch.load(path)`"
    )
    begun = [one for one in run.entries if one["attempt"] < 2]
    found = says(whole_faults(Story(begun), failure, ""))
    assert found.startswith("the file is half a file: ")


def test_what_is_not_on_the_disk_is_seen(run):
    gone = changed(run, lambda one: {"gone": True}, kind="fsync")
    assert "never sent to the disk" in says(disk_faults(gone))
    late = changed(run, lambda one: {"at": one["at"] + 60}, kind="fsync")
    assert "before it was on the disk" in says(disk_faults(late))
    short = changed(run, lambda one: {"size": 5}, kind="fsync")
    assert "at `os.fsync` it had 5" in says(disk_faults(short))


def test_two_writers_of_a_file_are_seen(run):
    twins = [one | {"rank": 1} for one in run.entries if one["kind"] == "save"]
    assert "rank 0 and rank 1 wrote one file" in says(disk_faults(Story([*run.entries, *twins])))


def test_a_complete_run_that_trains_is_seen(run):
    step = next(one for one in run.entries if one["kind"] == "step" and one["rank"] == 0)
    story = Story([*run.entries, step | {"run": "again"}])
    assert "trained 1 steps" in says(every_faults(story, SHAPE, EVERY))


def test_other_weights_in_the_end_are_seen(run):
    wrong = changed(run, lambda one: {"weights": "other"}, run="broken", kind="end")
    assert "ends with different weights" in says(survive._end_faults(wrong))


# Cards of real runs


@cache
def report_on(name: str) -> Report:
    """The report on a stored wrong answer, which several tests read."""
    return hand_in("survive", stored("survive", name))


@pytest.mark.parametrize(
    ("name", "prop", "cause"),
    sampled(
        [
            ("a_file_for_each_rank", "whole", "no longer in the same step"),
            ("gathers_on_rank_0", "every", "rank 0 and rank 1 are in different collectives"),
            ("gathers_on_rank_0", "every", "made by one rank only"),
            ("not_the_last", "every", "there is none after step"),
            ("counts_within_the_epoch", "every", "again in every epoch"),
        ],
        chosen=["gathers_on_rank_0"],
    ),
)
def test_a_card_names_the_slip(name, prop, cause):
    report = report_on(name)
    assert prop in lost(report)
    assert cause in told(report, prop)


@pytest.mark.parametrize(
    ("body", "cause"),
    sampled(
        [
            ("return None", "there is none; expected one after the steps"),
            ("1 / 0", "ZeroDivisionError"),
            ("job.step(None)", "one batch of `job.batches(epoch)`"),
            ("job.batches(99)", "an epoch from 0"),
            ("raise SystemExit(3)", "SystemExit"),
            ("os._exit(3)", "before `train_job` had returned"),
        ],
        chosen=["return None", "os._exit(3)"],
    ),
)
def test_what_does_not_train_is_told(body, cause):
    report = hand_in("survive", f"def train_job(job, folder, every):\n    {body}\n")
    assert len(lost(report)) == 6
    assert cause in told(report, "every")


@only_whole
def test_a_collective_of_other_bytes_on_one_rank_is_told():
    text = """def train_job(job, folder, every):
    job.step(job.batches(0)[0])
    if dist.get_rank() == 0:
        states = [torch.empty_like(torch.get_rng_state()) for _ in range(2)]
        dist.all_gather(states, torch.get_rng_state())
    job.step(job.batches(0)[1])
"""
    found = told(hand_in("survive", text), "every")
    assert "another rank has ended, or is in another collective, on line" in found
    assert "made by one rank only" in found


def test_ranks_in_different_steps_before_any_death_are_told():
    text = "def train_job(job, folder, every):\n    job.step(job.batches(0)[dist.get_rank()])\n"
    found = told(hand_in("survive", text), "every")
    assert "rank 0 in step 1, rank 1 in step 2" in found
    assert "Nobody was killed yet" in found


def test_what_is_written_into_memory_is_told():
    text = """def save(state, path):
    import io
    memory = io.BytesIO()
    torch.save(state, memory)
    path.write_bytes(memory.getvalue())
"""
    report = hand_in("survive", text)
    assert "whole" in lost(report)
    assert "wrote into memory" in told(report, "every")
    assert "wrote into memory, and into no file" in told(report, "state")


@only_whole  # in CI another case of one rank's collective is told
def test_ranks_that_wait_for_each_other_are_told():
    text = "def train_job(job, folder, every):\n    dist.get_rank() or dist.barrier()\n"
    report = hand_in("survive", text)
    assert len(lost(report)) == 6
    assert "rank 0 waits in" in told(report, "every")


# The picture


def is_fit_to_print(ax) -> bool:
    is_clear = not overlapping_texts(ax) and not texts_outside(ax)
    return is_clear and smallest_text_pt(ax) >= 8.5 and len(alt_text(ax)) > 60


def test_the_picture_tells_how_it_ended(run, monkeypatch):
    monkeypatch.setattr(survival_pictures, "run_survival", lambda *_: run)
    ax = draw_survival(None, None)
    assert is_fit_to_print(ax)
    title = ax.get_title(loc="left")
    assert (
        title == "3 deaths, bit for bit equal to the unbroken run: 36 steps for the 28 of the run"
    )


def test_the_picture_of_a_run_that_stops(run, monkeypatch):
    begun = [one for one in run.entries if one["attempt"] < 2]
    stopped = Survival(begun, "rank 0 failed: " + "x" * 200, "", 2)
    monkeypatch.setattr(survival_pictures, "run_survival", lambda *_: stopped)
    ax = draw_survival(None)
    assert is_fit_to_print(ax)
    assert ax.get_title(loc="left") == "After 2 deaths it does not start again"


@only_whole
def test_the_picture_of_the_draft_is_drawn():
    own = bench("survive")
    _, train = own.answers(own.solution_cells(), "test")
    draft = train.__globals__["draft"]
    ax = draw_survival(draft)
    assert is_fit_to_print(ax)
    assert "does not start again" in ax.get_title(loc="left")
    assert "a checkpoint every 7 steps" in ax.figure.get_supxlabel()
    assert "is half a file" in ax.figure.get_supxlabel()
