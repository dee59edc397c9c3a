"""Pictures of the lesson long-runs: legible, also with wrong answers, and what they refuse."""

from __future__ import annotations

import math

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.long_runs.accounts_alone import accounts, losses
from gpuedu.exercises.long_runs.checkpoint_interval.picture import draw_day, draw_wastes
from gpuedu.exercises.long_runs.goodput.picture import draw_month
from gpuedu.exercises.long_runs.watch_it.picture import draw_alerts
from gpuedu.figures.style import alt_text
from tests.figures.legibility import assert_fit_to_print

_RUN = """
groups:
- name: run
  rules:
  - {alert: NoProgress, expr: 'sum(increase(train_steps_total[5m])) == 0', for: 5m}
  - {alert: LossNotFinite, expr: train_loss != train_loss}
"""
_GPUS = """
groups:
- name: gpus
  rules:
  - {alert: GpuHot, expr: "DCGM_FI_DEV_GPU_TEMP > 84"}
  - {alert: GpuBroken, expr: DCGM_FI_DEV_XID_ERRORS > 100}
"""


def _young(save_s, write_s, restart_s, node_mtbf_s, nodes):
    return math.sqrt(2 * save_s * node_mtbf_s / nodes)


def _always_a_minute(save_s, write_s, restart_s, node_mtbf_s, nodes):
    return 60


def _a_week(save_s, write_s, restart_s, node_mtbf_s, nodes):
    return 604_800


@pytest.mark.parametrize("choose", [_young, _always_a_minute, _a_week])
def test_intervals_are_legible(choose) -> None:
    for draw in (draw_wastes, draw_day):
        assert_fit_to_print(draw(choose))


def test_day_says_what_is_kept() -> None:
    told = alt_text(draw_day(_a_week))
    assert "every 168 h: 0.0 of 24 h are kept" in told


@pytest.mark.parametrize("given", [0, -5, math.inf, math.nan, "3", None])
def test_what_is_no_interval_is_refused(given) -> None:
    with pytest.raises(AnswerError):
        draw_wastes(lambda *_: given)


def _loss(log):
    return max(losses(log).items(), key=lambda one: one[1])[0], 0.83


def test_month_is_legible() -> None:
    ax = draw_month(accounts, _loss)
    assert_fit_to_print(ax)
    assert "83.0% if interruptions took half" in alt_text(ax)


def test_month_refuses_a_cause_that_is_none() -> None:
    with pytest.raises(AnswerError, match="one of the causes"):
        draw_month(accounts, lambda log: ("bad luck", 0.9))
    with pytest.raises(AnswerError, match="no entry"):
        draw_month(lambda log: {}, _loss)


def test_alerts_are_legible_and_told() -> None:
    ax = draw_alerts(_RUN, _GPUS)
    assert_fit_to_print(ax)
    told = alt_text(ax)
    assert "GpuHot: fires from minute 82 for GPU 1 of n2" in told
    assert "GpuBroken: never fires" in told


def test_alerts_that_cannot_be_read_are_told_with_their_line() -> None:
    with pytest.raises(AnswerError, match="line 6 of `gpu_rules`"):
        draw_alerts(_RUN, _GPUS.replace("> 100", "> (100"))
