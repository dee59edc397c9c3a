"""transfer-size: times that tell fits apart, and refusals of what is no fit and no list."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from gpuedu.exercises.feed_the_gpu.transfer_size.judge import fits
from gpuedu.exercises.registry import load
from tests.exercises.reports import fault, hand_in, lost


def test_times_that_scatter_leave_room_on_both_sides_of_the_limit():
    close, apart = [], []
    for seed in range(5):
        cases = load("transfer-size").judge.cases(np.random.default_rng(seed))
        for case in (one for one in cases if "scattered" in one.decides):
            sizes, times = case.inputs["sizes_bytes"], case.inputs["times_s"]
            plain = fits.fit_weighted(sizes, times, np.ones_like(times))
            close.append(fits.worst_error(case.truth, fits.fit_weighted(sizes, times))[0])
            apart.append(fits.worst_error(case.truth, plain)[0])
    assert max(close) < 0.7 * fits.CLOSE
    assert min(apart) > 1.3 * fits.CLOSE


@pytest.mark.parametrize("bad", [(math.nan, 1e9), (1e-5, 0.0), (-1e-5, -1e9), (1e-5, math.inf)])
def test_a_fit_of_anything_is_judged_without_an_exception(bad):
    report = hand_in("transfer-size", fit=lambda sizes_bytes, times_s: bad)
    assert lost(report) == {"exact", "scattered"}


def test_a_fit_of_one_number_is_told_that_two_are_wanted():
    report = hand_in("transfer-size", fit=lambda sizes_bytes, times_s: [1e-5])
    assert "2 numbers" in fault(report, "exact").message


def test_tensors_that_are_not_flat_are_told_why_they_cannot_be_joined():
    report = hand_in("transfer-size", send=lambda tensors, copy: [copy(torch.cat(tensors))])
    assert "Make each of them flat" in fault(report, "one-copy").cause


@pytest.mark.parametrize("given", [None, torch.zeros(3), [1.0]], ids=["none", "tensor", "floats"])
def test_send_that_returns_no_list_of_tensors_is_refused(given):
    report = hand_in("transfer-size", send=lambda tensors, copy: given)
    assert lost(report) == {"one-copy", "arrive"}
