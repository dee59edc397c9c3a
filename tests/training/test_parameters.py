"""Optimizers that have nothing of the model to move."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from gpuedu.training.errors import NoParametersError
from gpuedu.training.parameters import device_of, require_parameters


def _sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.1)


def test_one_of_the_models_parameters_is_enough():
    model = nn.Linear(3, 2)
    require_parameters(model, _sgd([model.bias]))
    assert device_of(model).type == "cpu"


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda model: _sgd([{"params": []}]), "holds no parameters"),
        (lambda model: _sgd(nn.Linear(3, 2).parameters()), "2 parameters belongs to this model"),
        (lambda model: _sgd(model.requires_grad_(False).parameters()), "frozen"),
    ],
)
def test_the_likely_cause_is_named(make, told):
    model = nn.Linear(3, 2)
    with pytest.raises(NoParametersError, match=told):
        require_parameters(model, make(model))


def test_a_model_whose_layers_hide_in_a_list_is_told():
    class Hidden(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Linear(2, 2)]

    with pytest.raises(NoParametersError, match="Hidden has no parameters") as caught:
        device_of(Hidden())
    assert "ModuleList" in caught.value.remedy
