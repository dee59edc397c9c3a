"""three-utilisations: truths against a count of microseconds, and the words of its pictures."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.feed_the_gpu.three_utilisations import measure
from gpuedu.exercises.feed_the_gpu.three_utilisations.judge import utilizations
from gpuedu.exercises.feed_the_gpu.three_utilisations.picture import (
    draw_three_utilisations,
    tell_own_utilization,
)
from gpuedu.exercises.functions import arguments_of
from gpuedu.exercises.registry import load
from tests.exercises.stored import solution_answers


def by_microseconds(call, kernels, start_s, end_s, **device):
    """The same share, microsecond by microsecond: all times are whole ones."""
    window = (np.arange(round(1e6 * start_s), round(1e6 * end_s)) + 0.5) / 1e6
    running = [(window > k[0]) & (window < k[1]) for k in kernels]
    if call == "gpu_util":
        return np.any(running, axis=0).mean() if running else 0.0
    if call == "sm_active":
        return sum(k[2] * on.mean() for k, on in zip(kernels, running, strict=True)) / device["sms"]
    rates = [k[3] / (k[1] - k[0]) * on.mean() for k, on in zip(kernels, running, strict=True)]
    return sum(rates) / device["peak_bytes_per_s"]


@pytest.mark.parametrize("seed", range(3))
def test_truths_are_what_a_count_of_microseconds_gives(seed):
    for case in load("three-utilisations").judge.cases(np.random.default_rng(seed)):
        truth = getattr(utilizations, case.inputs["call"])(**arguments_of(case))
        assert truth == pytest.approx(by_microseconds(**case.inputs), abs=1e-8)


def test_the_three_numbers_stand_beside_their_program():
    ax = draw_three_utilisations(*solution_answers("three-utilisations").values())
    shown = [text.get_text() for text in ax.texts]
    assert "a kernel ran: 100%\nSMs busy: 0.76%\nmemory: 0.17%" in shown


def test_own_utilization_is_a_table_or_a_sentence():
    tell = tell_own_utilization
    assert tell({"note": "there is no GPU"}) == "Nothing to measure: there is no GPU."
    own = {"shares": {"tiny kernels": (1.0, 0.01), "a product": (0.97, 0.4)}, "device": "T4"}
    lines = tell(own).splitlines()
    assert lines[1].split()[-2:] == ["100%", "1%"]
    assert "T4" in lines[-1]
    with pytest.raises(AnswerError, match="nothing was measured"):
        tell({})


def test_without_a_gpu_nothing_is_measured(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "no GPU" in measure.measure_utilization()["note"]
