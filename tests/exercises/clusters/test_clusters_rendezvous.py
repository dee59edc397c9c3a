"""Workers that come and go: simulated lives, what a card says of them, real lives, pictures."""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.rendezvous import judge, torchrun_lives
from gpuedu.exercises.clusters.rendezvous.elastic_job import Job, Shape
from gpuedu.exercises.clusters.rendezvous.judge.life_story import Alone
from gpuedu.exercises.clusters.rendezvous.lives import Life, Shelf, live
from gpuedu.exercises.clusters.rendezvous.measure import EVERY, SHAPE
from gpuedu.exercises.clusters.rendezvous.picture import LIVES, draw_lives, drawn_lives
from gpuedu.exercises.clusters.rendezvous.torchrun_lives import run_torchrun
from gpuedu.exercises.clusters.rendezvous.torchrun_picture import (
    distance,
    draw_torchrun,
    real_lives,
)
from gpuedu.exercises.contract import Undecided
from gpuedu.figures.style import alt_text
from gpuedu.multi.launch.outcome import LaunchError
from tests.exercises.clusters.rendezvous_answers import answers_with, hand_in, lost, stored, told
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside
from tests.multi.launch.leftovers import orphans_of
from tests.sampled import only_whole


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def lived(lives, every=EVERY, shape=SHAPE, text=""):
    *own, train = answers_with(text)
    return live(train, shape, every, lives, lend_to=own)


# The job


def job_of(shape: Shape) -> Job:
    return Job(shape, Shelf().seen_by(0), lambda *_: None)


def test_a_gradient_is_the_sum_of_its_samples():
    job = job_of(SHAPE)
    both = job.gradient([3, 7])
    assert np.allclose(both, job.gradient([3]) + job.gradient([7]), rtol=0, atol=1e-12)
    assert not job.gradient([]).any()


def test_an_order_has_every_sample_and_is_another_one_in_each_epoch():
    job = job_of(SHAPE)
    assert sorted(job.order(0)) == sorted(job.order(1)) == list(range(SHAPE.samples))
    assert job.order(0) != job.order(1)
    assert job.order(1) == job_of(SHAPE).order(1)


@pytest.mark.parametrize(
    ("samples", "message"),
    [([0] * 5, "4 fit"), ([50], "samples 0 to 49"), ([0.5], "whole number"), (7, "a list")],
)
def test_what_is_no_gradient_of_samples_is_refused(samples, message):
    with pytest.raises(AnswerError, match=message):
        job_of(SHAPE).gradient(samples)


def test_a_state_is_no_other_jobs():
    job, other = job_of(SHAPE), job_of(SHAPE)
    other.load_state_dict(job.state_dict())
    job.step(job.gradient([0]))
    assert other.numbers() == job_of(SHAPE).numbers() != job.numbers()
    with pytest.raises(AnswerError, match="state_dict"):
        other.load_state_dict({"weights": 1})


def test_a_loop_that_never_ends_is_stopped_after_as_many_steps_as_there_are_samples():
    job = job_of(SHAPE)
    for _ in range(job.total):
        job.step(job.zeros())
    with pytest.raises(AnswerError, match=f"the run has {job.total} samples"):
        job.step(job.zeros())


# Simulated lives


def test_other_ranks_see_an_older_checkpoint():
    shelf = Shelf()
    assert shelf.seen_by(0).load() is None
    for number in range(3):
        shelf.seen_by(0).save({"done": number})
    assert shelf.seen_by(0).load() == {"done": 2}
    assert shelf.seen_by(1).load() == {"done": 1}


def test_a_checkpoint_has_no_class_of_a_notebooks_in_it():
    own = type("State", (), {"__module__": "__main__"})
    for checkpoint in ({"state": own()}, {"kind": own}):
        with pytest.raises(AnswerError, match="cannot be written: it has `State` in it"):
            Shelf().seen_by(0).save(checkpoint)
    shelf = Shelf()
    shelf.seen_by(0).save({"done": np.int64(3), "state": (SHAPE, {1, 2})})
    assert shelf.seen_by(0).load() == {"done": 3, "state": (SHAPE, {1, 2})}


@pytest.mark.parametrize("act", ["gradient", "step", "save"])
def test_a_life_ends_before_what_the_worker_was_about_to_do(act):
    count = 1 if act == "save" else 2
    lives = [Life(("a", "b", "c"), "dies", 0, act, count), Life(("b", "c"))]
    history = lived(lives)
    done = Counter(kind for life, rank, kind, *_ in history.acts if (life, rank) == (0, 0))
    assert (history.failure, done[act], done["dies"]) == ("", count, 1)
    assert not any(kind == "end" for life, _, kind, *_ in history.acts if life == 0)
    first = [
        one
        for life, _, kind, step, one, _ in history.acts
        if (life, kind, step) == (1, "gradient", 0)
    ]
    done = 2 * SHAPE.batch
    assert sorted(chain(*first)) == sorted(job_of(SHAPE).order(0)[done : done + SHAPE.batch])


def test_the_weights_do_not_tell_who_trained():
    ends = [Alone(SHAPE).states[-1]]
    for worlds in ((1,), (5,), (4, 3, 4, 2), (2, 6, 1)):
        lives = [
            Life(tuple("abcdef"[:world]), "dies", world - 1, "step", 3) for world in worlds[:-1]
        ]
        history = lived([*lives, Life(tuple("abcdef"[: worlds[-1]]))])
        ends += [np.array(one[4]) for one in history.states if one[2] == "end"]
    assert all(np.abs(one - ends[0]).max() < 1e-12 for one in ends)


def test_what_fails_in_a_life_is_kept_with_its_number():
    text = "def train(job, every):\n    1 / (dist.get_world_size() - 3)\n"
    history = lived([Life(("a", "b")), Life(("a", "b", "c"))], text=text)
    assert history.life == 1
    assert "ZeroDivisionError" in history.failure


def test_a_planned_death_hides_no_deadlock():
    text = "def train(job, every):\n    dist.get_rank() or dist.barrier()\n"
    history = lived([Life(("a", "b"), "dies", 1, "step", 9)], text=text)
    assert "rank 0 waits" in history.failure


# Cases and cards


def test_cases_have_what_separates_answers():
    for seed in range(30):
        cases = judge.cases(np.random.default_rng(seed))
        in_lives = [case.inputs for case in cases if case.inputs["ask"] == "lives"]
        for inputs in in_lives:
            shape = Shape(**inputs["shape"])
            assert 0 < shape.samples % shape.batch < 4
            assert shape.fits * 2 < shape.batch
            assert not inputs["lives"][-1]["end"]
        assert {len(one["workers"]) for one in in_lives[0]["lives"]} == {2, 3, 4}


def test_the_cards_of_a_rank_that_reads_its_own():
    report = hand_in(stored("each_reads_its_own"))
    assert "start" in lost(report)
    assert "starts from a new model, not from the state after" in told(report, "start")


def test_the_card_of_a_sum_that_is_divided_by_the_world():
    report = hand_in(stored("by_the_world"))
    assert lost(report) == {"equal"}
    assert "from those of one process" in told(report, "equal")


def test_the_card_of_a_rank_without_samples_that_skips_the_collective():
    text = stored("by_the_world").replace("job.step(total / world)", "job.step(total / len(batch))")
    text = text.replace(
        "        dist.all_reduce(total)", "        total.any() and dist.all_reduce(total)"
    )
    report = hand_in(text)
    assert "no rank can go on" in told(report, "goes-on")
    assert {"batches", "shares"}.isdisjoint(lost(report))


def test_the_card_of_samples_that_are_lost():
    text = stored("a_batch_too_far")
    assert "life 2" in told(hand_in(text), "goes-on")


def test_a_training_that_fails_in_its_first_life_shows_nothing_else():
    report = hand_in("def train(job, every):\n    1 / 0\n")
    (start,) = (one for one in report.results if one.property.name == "start")
    assert isinstance(start.fault, Undecided)
    assert "ZeroDivisionError" in start.fault.message


def test_nothing_but_right_parts_is_graded_of_functions_alone():
    text = "def train(job, every):\n    pass\n"
    report = hand_in(text)
    assert {"batches", "shares"}.isdisjoint(lost(report))
    assert "goes-on" in lost(report)


# Pictures


def is_fit_to_print(ax) -> bool:
    is_clear = not overlapping_texts(ax) and not texts_outside(ax)
    return is_clear and smallest_text_pt(ax) >= 8.5 and len(alt_text(ax)) > 60


def test_the_picture_of_simulated_lives():
    ax = draw_lives(*answers_with())
    assert is_fit_to_print(ax)
    assert (
        ax.get_title(loc="left") == "Four lives, 6 checkpoints, and the same weights as one worker"
    )
    assert "e joined; c and d killed" in alt_text(ax)


def test_drawn_lives_end_when_the_worker_died():
    history = lived(LIVES)
    drawn = drawn_lives(history, LIVES)
    assert [one.died for one in drawn] == [("b",), (), ("c", "d"), ()]
    assert [one.joined for one in drawn] == [(), (), ("e",), ()]
    assert all(one.start_s <= at <= one.end_s for one in drawn for at in one.saves)
    assert all(a.end_s < b.start_s for a, b in pairwise(drawn))


# Real lives


def entries_of(history, lives):
    """The diaries of real workers, had they done what simulated ones did; life by life."""
    began_s = np.cumsum([0.0, *(one + 1 for one in history.lasted_s)])
    ends = {(life, rank): state for life, rank, kind, _, state in history.states if kind == "end"}
    found = []
    for life, rank, kind, step, samples, at_s in history.acts:
        agent, number = lives[life].workers[rank]
        who = {"life": life, "rank": rank, "agent": agent, "local_rank": int(number)}
        did = {"kind": kind, "step": step, "samples": samples, "at": began_s[life] + at_s}
        end = {"numbers": list(ends[life, rank])} if kind == "end" else {}
        found.append({**who, "restarts": life // 2, **did, **end})
    return found


AS_REAL = [
    Life(("A0", "A1"), "joins", 0, "step", 3),
    Life(("A0", "A1", "B0", "B1"), "dies", 0, "step", 3),
    Life(("B0", "B1")),
]


def test_the_picture_of_diaries():
    history = lived(AS_REAL)
    entries = entries_of(history, AS_REAL)
    killed_s = history.lasted_s[0] + 1 + history.lasted_s[1]
    agents = [["A", "started", 0.0], ["B", "started", 0.1], ["A", "killed", killed_s]]
    ax = draw_torchrun({"entries": entries, "agents": agents})
    assert is_fit_to_print(ax)
    assert (
        ax.get_title(loc="left")
        == "3 real lives under torchrun, and the same weights as one process"
    )
    assert "A0 and A1 killed" in alt_text(ax) and "life 3: B 1" in alt_text(ax)
    assert "B0 and B1 joined" in alt_text(ax)
    entries[-1]["numbers"][0] += 0.5
    draws = draw_torchrun({"entries": entries, "agents": agents})
    assert "weights off by 0.5" in draws.get_title(loc="left")


@pytest.fixture(scope="module")
def real():
    return run_torchrun(answers_with()[-1], SHAPE, EVERY)


@only_whole
def test_real_workers_die_and_join_and_end_with_the_weights_of_one(real):
    lives = {one["life"]: one["world"] for one in real.entries}
    assert list(lives.values()) == [2, 4, 2]
    ends = [one for one in real.entries if one["kind"] == "end"]
    assert [(one["life"], one["agent"]) for one in ends] == [(2, "B"), (2, "B")]
    assert distance(real.entries) < 1e-9
    assert np.abs(np.array(ends[0]["numbers"]) - Alone(SHAPE).states[-1]).max() < 1e-9


@only_whole
def test_real_workers_train_the_global_batches_that_simulated_ones_do(real):
    order = [job_of(SHAPE).order(epoch) for epoch in range(SHAPE.epochs)]
    batches = [
        sorted(one[at : at + SHAPE.batch])
        for one in order
        for at in range(0, SHAPE.samples, SHAPE.batch)
    ]
    first = 0
    for life in range(3):
        own = [one for one in real.entries if one["life"] == life]
        steps = 1 + max(one["step"] for one in own if one["kind"] == "step")
        for step in range(steps):
            parts = [
                one["samples"]
                for one in own
                if (one["kind"], one.get("step")) == ("gradient", step)
            ]
            assert sorted(chain(*parts)) == batches[first + step]
        first += [one["step"] for one in own if one["kind"] == "save"][-1]
    assert first == len(batches)


@only_whole
def test_a_join_is_not_counted_as_a_restart(real):
    counts = {(one["life"], one["agent"]): one["restarts"] for one in real.entries}
    assert counts[1, "A"] == counts[0, "A"] == 0
    assert counts[2, "B"] > counts[1, "B"] == 0


@only_whole
def test_ranks_are_given_anew(real):
    ranks = {(one["life"], one["agent"], one["local_rank"]): one["rank"] for one in real.entries}
    assert (ranks[1, "B", 0], ranks[2, "B", 0]) == (2, 0)


@only_whole
def test_nothing_runs_after_a_real_launch(real):
    assert orphans_of("gpuedu-elastic-") == []


@only_whole
def test_the_picture_of_real_lives(real):
    lives = {"entries": real.entries, "agents": real.agents}
    ax = draw_torchrun(lives)
    assert is_fit_to_print(ax)
    assert (
        ax.get_title(loc="left")
        == "3 real lives under torchrun, and the same weights as one process"
    )
    drawn = real_lives(real.entries, real.agents)
    assert [one.died for one in drawn] == [(), ("A0", "A1"), ()]


@only_whole
def test_a_real_failure_is_told_and_nothing_is_left():
    text = "def train(job, every):\n    raise ValueError('not today')\n"
    with pytest.raises(AnswerError, match=r"life 1, rank [01]: ValueError: not today"):
        run_torchrun(answers_with(text)[-1], SHAPE, EVERY)
    assert orphans_of("gpuedu-elastic-") == []


def test_a_real_launch_needs_room(monkeypatch):
    monkeypatch.setattr(torchrun_lives, "ROOM_BYTES", 2**60)
    with pytest.raises(LaunchError, match="are free"):
        run_torchrun(None, SHAPE, EVERY)


def test_the_picture_asks_for_a_measurement():
    with pytest.raises(AnswerError, match="nothing measured"):
        draw_torchrun({})
