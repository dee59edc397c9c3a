"""three-utilisations: truths against a count of milliseconds, and the words of its pictures."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.feed_the_gpu.three_utilisations import measure
from gpuedu.exercises.feed_the_gpu.three_utilisations.judge import utilisations
from gpuedu.exercises.feed_the_gpu.three_utilisations.picture import (
    draw_three_utilisations,
    tell_own_utilisation,
)
from gpuedu.exercises.functions import arguments_of
from gpuedu.exercises.registry import load
from tests.exercises.stored import solution_answers


def by_milliseconds(call, kernels, start_s, end_s, **device):
    """The same share, millisecond by millisecond: all times are whole ones."""
    window = [(ms + 0.5) / 1000 for ms in range(round(1000 * start_s), round(1000 * end_s))]
    running = [[k for k in kernels if k[0] < t < k[1]] for t in window]
    if call == "gpu_util":
        return np.mean([bool(now) for now in running])
    if call == "sm_active":
        return np.mean([sum(k[2] for k in now) / device["sms"] for now in running])
    rates = [sum(k[3] / (k[1] - k[0]) for k in now) for now in running]
    return np.mean(rates) / device["peak_bytes_per_s"]


@pytest.mark.parametrize("seed", range(3))
def test_truths_are_what_a_count_of_milliseconds_gives(seed):
    for case in load("three-utilisations").judge.cases(np.random.default_rng(seed)):
        truth = getattr(utilisations, case.inputs["call"])(**arguments_of(case))
        assert truth == pytest.approx(by_milliseconds(**case.inputs), abs=1e-8)


def test_the_three_numbers_stand_beside_their_program():
    ax = draw_three_utilisations(*solution_answers("three-utilisations").values())
    shown = [text.get_text() for text in ax.texts]
    assert "a kernel ran: 100%\nSMs busy: 0.76%\nmemory: 0.17%" in shown


def test_own_utilisation_is_a_table_or_a_sentence():
    tell = tell_own_utilisation
    assert tell({"note": "there is no GPU"}) == "Nothing to measure: there is no GPU."
    own = {"shares": {"tiny kernels": (1.0, 0.01), "a product": (0.97, 0.4)}, "device": "T4"}
    lines = tell(own).splitlines()
    assert lines[1].split()[-2:] == ["100%", "1%"]
    assert "T4" in lines[-1]
    with pytest.raises(AnswerError, match="nothing was measured"):
        tell({})


def test_without_a_gpu_nothing_is_measured(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "no GPU" in measure.measure_utilisation()["note"]
