"""A simulated run against what it is expected to lose, and that against closed forms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from gpuedu.exercises.long_runs.expectation_alone import (
    best_exponential,
    expected_waste,
    exponential_waste,
    weibull_survival,
)
from gpuedu.exercises.long_runs.interrupted_run import (
    KEPT,
    LOST,
    RESTART,
    SAVE,
    Saving,
    interrupted_run,
)

_MTBF_S = 4000.0


def _exponential(time_s: float) -> float:
    return math.exp(-time_s / _MTBF_S)


@pytest.mark.parametrize("saving", [Saving(60, 0, 300), Saving(5, 240, 30), Saving(900, 0, 0)])
@pytest.mark.parametrize("interval_s", [240.0, 700.0, 4000.0])
def test_expectation_is_the_closed_form(saving: Saving, interval_s: float) -> None:
    by_sum = expected_waste(interval_s, saving, _MTBF_S, _exponential)
    assert by_sum == pytest.approx(exponential_waste(interval_s, saving, _MTBF_S), rel=1e-9)


@pytest.mark.parametrize("shape", [1.0, 0.6, 1.8])
@pytest.mark.parametrize("saving", [Saving(60, 0, 300), Saving(10, 250, 500)])
def test_simulation_is_as_expected(shape: float, saving: Saving) -> None:
    rng = np.random.default_rng(5)
    scale_s = _MTBF_S / math.gamma(1 + 1 / shape)
    gaps_s = (scale_s * rng.weibull(shape, 60_000)).tolist()
    run = interrupted_run(700.0, saving, gaps_s)
    kept_s = sum(one.end_s - one.start_s for one in run if one.kind == KEPT)
    expected = expected_waste(700.0, saving, _MTBF_S, weibull_survival(_MTBF_S, shape))
    simulated = math.fsum(gaps_s) / kept_s - 1
    # Per failure the kept time spreads by about its mean: 0.4% of noise over 60,000 of them.
    assert 1 + simulated == pytest.approx(1 + expected, rel=0.025)


def test_stretches_leave_no_gap() -> None:
    gaps_s = np.random.default_rng(2).exponential(900.0, 200).tolist()
    run = interrupted_run(300.0, Saving(40, 100, 200), gaps_s)
    assert run[0].start_s == 0
    assert run[-1].end_s == pytest.approx(sum(gaps_s))
    for before, after in itertools.pairwise(run):
        assert after.start_s == before.end_s
    assert {one.kind for one in run} == {KEPT, LOST, SAVE, RESTART}


def test_checkpoint_counts_only_when_written() -> None:
    saving = Saving(10, 50, 0)
    for failure_s, kept_s in ((159.0, 0.0), (160.0, 100.0), (269.0, 100.0), (270.0, 200.0)):
        run = interrupted_run(100.0, saving, [failure_s])
        kept = sum(one.end_s - one.start_s for one in run if one.kind == KEPT)
        assert kept == kept_s, failure_s


def test_short_interval_is_refused() -> None:
    with pytest.raises(ValueError, match="writing"):
        interrupted_run(100.0, Saving(10, 120, 0), [1000.0])


@pytest.mark.parametrize("save_s", [1.0, 40.0, 400.0, 2000.0, 7900.0])
def test_best_interval_and_daly(save_s: float) -> None:
    saving = Saving(save_s, 0, 100)
    best_s = best_exponential(saving, _MTBF_S)
    least = exponential_waste(best_s, saving, _MTBF_S)
    for other_s in best_s * np.array([0.5, 0.95, 1.05, 2.0]):
        assert exponential_waste(other_s, saving, _MTBF_S) > least
    half = save_s / (2 * _MTBF_S)
    daly_s = math.sqrt(2 * save_s * _MTBF_S) * (1 + math.sqrt(half) / 3 + half / 9) - save_s
    assert exponential_waste(daly_s, saving, _MTBF_S) < 1.01 * least


def test_bounds() -> None:
    saving = Saving(1, 3000, 0)
    assert best_exponential(saving, _MTBF_S) == 3000
    assert exponential_waste(0, saving, _MTBF_S) == math.inf
    assert exponential_waste(1e9, saving, _MTBF_S) == math.inf
    assert expected_waste(1e9, saving, _MTBF_S, _exponential) == math.inf
