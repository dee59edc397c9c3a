"""read-the-profile: the planted profiles, and where their time goes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.training_step.read_the_profile import profile_pictures
from gpuedu.exercises.training_step.read_the_profile.judge import _TRAPS, cases
from gpuedu.exercises.training_step.read_the_profile.judge.step_time import (
    largest,
    where_it_went,
)
from gpuedu.exercises.training_step.read_the_profile.picture import draw_own_profile
from gpuedu.exercises.training_step.read_the_profile.planted import SHOWN, draw_plan, take_steps
from gpuedu.figures.style import alt_text


@pytest.mark.parametrize("trap", sorted({*_TRAPS}))
def test_the_four_are_the_whole(trap):
    for seed in range(5):
        profile = take_steps(draw_plan(np.random.default_rng(seed), trap=trap))
        shares = where_it_went(profile)
        assert sum(shares.values()) == pytest.approx(profile.end_s, abs=1e-8)
        assert [cause for cause, time_s in shares.items() if time_s <= 0] == (
            ["copies"] if trap == "resident" else []
        )
        assert shares["kernels"] == pytest.approx(profile.busy_s("device"), abs=1e-9)
        idle = profile.end_s - profile.busy_s("device")
        waited_s = shares["python"] + shares["launches"] + shares["copies"]
        assert waited_s == pytest.approx(idle, abs=4e-9)  # a timeline rounds each to 1 ns


@pytest.mark.parametrize(("name", "cause"), [("A", "copies"), ("B", "launches"), ("C", "python")])
def test_each_shown_step_is_slow_for_one_clear_reason(name, cause):
    profile = take_steps(SHOWN[name])
    assert largest(profile) == cause
    first, second, *_ = sorted(where_it_went(profile).values(), reverse=True)
    assert first > 1.5 * second


def test_kernels_of_a_stream_do_not_overlap_and_follow_their_launch():
    profile = take_steps(draw_plan(np.random.default_rng(1), trap="side"))
    launches = {one.end_s for one in profile.operators}
    for lane in ("stream 7", "stream 20"):
        kernels = profile.on(lane)
        assert kernels
        for one, following in itertools.pairwise(kernels):
            assert following.start_s >= one.end_s - 1e-12
    assert all(one.start_s >= min(launches) for one in profile.kernels)


def test_the_pictures_and_tables_are_drawn():
    for name in SHOWN:
        assert "two simulated steps" in alt_text(profile_pictures.draw_slow_step(name))
    assert profile_pictures.list_costs().count("\n") == 20
    assert "61%" in profile_pictures.list_shares(where_it_went)
    assert "64" in profile_pictures.list_compiled()
    with pytest.raises(AnswerError, match="there is no step 'D'"):
        profile_pictures.draw_slow_step("D")
    with pytest.raises(AnswerError, match="drawn of a profile"):
        draw_own_profile(len)


def test_other_cases_are_drawn_for_another_seed():
    plans = [cases(np.random.default_rng(seed))[1].inputs["plan"] for seed in (0, 1)]
    assert plans[0] != plans[1]
