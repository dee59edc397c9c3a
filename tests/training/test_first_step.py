"""What is looked at in the first step: each fault with the cause that a learner should look for."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from gpuedu.training.errors import LossError, NotFiniteError, OutputShapeError
from gpuedu.training.first_step import (
    require_finite_loss,
    require_gradients,
    require_loss,
    require_output,
)

LABELS = torch.tensor([0, 3, 1, 2])


@pytest.mark.parametrize(
    ("outputs", "targets"),
    [
        (torch.zeros(4, 5), LABELS),
        (torch.zeros(4, 7, 9), torch.zeros(4, 7, dtype=torch.long)),
        (torch.zeros(4, 9, 6, 6), torch.zeros(4, 6, 6, dtype=torch.long)),
        (torch.zeros(4, 2), torch.zeros(4, 2)),
    ],
)
def test_outputs_that_fit_pass(outputs, targets):
    require_output(outputs, targets)


@pytest.mark.parametrize(
    ("outputs", "targets", "told"),
    [
        (None, LABELS, "NoneType.*return"),
        (torch.zeros(4), LABELS, "no argmax"),
        (torch.zeros(5), LABELS, "first dimension"),
        (torch.zeros(2, 2, 5), LABELS, "first dimension"),
        (torch.zeros(4, 5, 5), LABELS, "one dimension of scores"),
        (torch.zeros(4, 3), LABELS, "3 scores for targets from 0 to 3"),
        (torch.zeros(4, 3), LABELS - 1, "from -1 to 2"),
        (torch.zeros(4, 1), torch.zeros(4), "broadcast"),
    ],
)
def test_outputs_that_do_not_fit_are_told_with_a_cause(outputs, targets, told):
    with pytest.raises(OutputShapeError) as caught:
        require_output(outputs, targets)
    assert caught.match(told.replace(".*", "(.|\n)*"))


@pytest.mark.parametrize(
    ("loss", "told"),
    [
        (1.5, "float, not a tensor"),
        (torch.zeros(4, requires_grad=True), r"\(4,\), not one number"),
        (torch.zeros(()), "depend"),
    ],
)
def test_a_loss_that_cannot_go_backward_is_told(loss, told):
    with pytest.raises(LossError, match=told):
        require_loss(loss)


class _Root(nn.Module):
    def forward(self, values):
        return values.sqrt()


def _look(model, inputs, loss):
    outputs = model(inputs)
    require_finite_loss(loss(outputs), model, inputs, outputs)


def test_nan_is_traced_to_the_batch_the_weights_the_layer_or_the_loss():
    inputs = torch.rand(4, 3)
    bad_inputs = inputs.clone()
    bad_inputs[2, 1] = torch.nan
    with pytest.raises(NotFiniteError, match="numbers in the batch"):
        _look(nn.Linear(3, 2), bad_inputs, torch.sum)
    spoilt = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 2))
    nn.init.constant_(spoilt[1].bias, torch.inf)
    with pytest.raises(NotFiniteError, match=r"'1\.bias'"):
        _look(spoilt, inputs, torch.sum)
    rooted = nn.Sequential(nn.Linear(3, 8), nn.Sequential(nn.Identity(), _Root()), nn.Linear(8, 2))
    nn.init.constant_(rooted[0].bias, -9.0)
    with pytest.raises(NotFiniteError, match=r"layer '1\.1'"):
        _look(rooted, inputs, torch.sum)
    with pytest.raises(NotFiniteError, match=r"finite.*logarithm"):
        _look(nn.Linear(3, 2), inputs, lambda outputs: (outputs * 0).log().sum())
    _look(nn.Linear(3, 2), inputs, torch.sum)


def test_a_loss_past_float16_is_told_as_that():
    outputs = torch.full((4, 2), 30000.0, dtype=torch.float16)
    with pytest.raises(NotFiniteError, match="65504"):
        require_finite_loss(outputs.sum(), nn.Linear(1, 1), torch.ones(4, 1), outputs)


def test_gradients_that_are_missing_or_not_finite_are_told():
    model = nn.Linear(3, 2)
    with pytest.raises(LossError, match="none of the model's parameters"):
        require_gradients(model)
    nn.init.zeros_(model.weight)
    nn.init.zeros_(model.bias)
    model(torch.ones(4, 3)).square().sum().sqrt().backward()
    with pytest.raises(NotFiniteError, match=r"'weight'.*square root"):
        require_gradients(model)
