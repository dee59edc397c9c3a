"""Tensors of the learner become plain arrays, or a clear refusal."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.training.tensors import as_array, as_number, require_tensor


def test_a_copy_is_taken_also_of_a_view_that_needs_gradients():
    base = torch.arange(6.0, requires_grad=True)
    got = as_array(base.reshape(2, 3).T, (3, 2))
    with torch.no_grad():
        base.zero_()
    assert got.dtype == np.float64
    assert got.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_whole_numbers_stay_whole():
    big = torch.tensor([2**60 + 1])
    assert as_array(big, (1,)).tolist() == [2**60 + 1]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "None"),
        (np.ones(2), "an ndarray"),
        (torch.ones(2, dtype=torch.complex64), "real numbers"),
        (torch.ones(2).to_sparse(), "dense"),
        (torch.ones(2, 1), r"shape \(2, 1\), expected \(2,\)"),
    ],
)
def test_what_is_no_such_tensor_is_refused(value, says):
    with pytest.raises(AnswerError, match=says):
        as_array(value, (2,))


def test_one_number_is_one_number():
    assert as_number(torch.tensor([[1.5]])) == 1.5
    with pytest.raises(AnswerError, match="got a tensor of"):
        as_number(torch.ones(2))
    with pytest.raises(AnswerError, match="should be a number"):
        as_number("2")


def test_a_tensor_is_given_back_as_it_is():
    tensor = torch.ones(2)
    assert require_tensor(tensor) is tensor
