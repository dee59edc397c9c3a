"""What PyTorch does not ask of an operation's operands is asked before it is carried out."""

from __future__ import annotations

import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.training.operations.bounds import require_bounds

ATEN = torch.ops.aten
OF_A_CONVOLUTION = ([1], [0], [1], False, [0], 1)


def behind_convolution(bias_sizes, with_bias):
    given = torch.zeros(1, 2, 3), torch.zeros(1, 1, 5), torch.zeros(2, 1, 3)
    mask = [True, True, with_bias]
    return ATEN.convolution_backward.default, (*given, bias_sizes, *OF_A_CONVOLUTION, mask)


SAFE = [
    (ATEN.as_strided.default, (torch.zeros(3), [0], [1], 3)),
    (ATEN.as_strided.default, (torch.zeros(3), [3], [1])),
    (
        ATEN._adaptive_avg_pool2d_backward.default,
        (torch.zeros(1, 2, 2, 2), torch.zeros(1, 2, 4, 4)),
    ),
]
BEYOND = [
    (ATEN.as_strided.default, (torch.zeros(3), [0], [1], 4)),
    (ATEN.repeat_interleave.Tensor, (torch.tensor([4096, -4090]),)),
    (ATEN.repeat_interleave.self_Tensor, (torch.zeros(2), torch.tensor([3, -2]))),
    (
        ATEN.grid_sampler_2d.default,
        (torch.zeros(1, 1, 2, 2), torch.zeros(1, 2, 2, 2), 9, 0, False),
    ),
    (ATEN.as_strided_scatter.default, (torch.zeros(3), torch.zeros(0), [0], [1], 2**40)),
    (
        ATEN._adaptive_avg_pool2d_backward.default,
        (torch.zeros(1, 2, 2, 2), torch.zeros(1, 2, 4, 0)),
    ),
]


@pytest.mark.parametrize(("operation", "given"), SAFE)
def test_what_lies_inside_is_carried_out(operation, given):
    require_bounds(operation, given, {})


@pytest.mark.parametrize(("operation", "given"), BEYOND)
def test_what_begins_behind_a_memory_is_refused_though_it_has_no_elements(operation, given):
    with pytest.raises(AnswerError):
        require_bounds(operation, given, {})
