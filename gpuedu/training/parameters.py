"""A model's parameters, as a training loop and its hooks ask for them."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim import Optimizer

from gpuedu.training.errors import NoParametersError


def device_of(model: nn.Module) -> torch.device:
    """Where the model's first parameter is.

    Raises:
        NoParametersError: for a model that has none.
    """
    for parameter in model.parameters():
        return parameter.device
    raise NoParametersError(
        f"{type(model).__name__} has no parameters",
        remedy="layers kept in a plain list are not found: use nn.ModuleList or nn.Sequential",
    )


def require_parameters(model: nn.Module, optimizer: Optimizer) -> None:
    """Refuse an optimizer that moves nothing of the model.

    Raises:
        NoParametersError: if it holds no parameters, none of this model's, or only frozen ones.
    """
    device_of(model)
    held = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    if not held:
        raise NoParametersError(
            "the optimizer holds no parameters",
            remedy="make it from model.parameters(); an iterator of them is empty once it was read",
        )
    own = {id(parameter) for parameter in model.parameters()}
    mine = [parameter for parameter in held if id(parameter) in own]
    if not mine:
        raise NoParametersError(
            f"none of the optimizer's {len(held)} parameters belongs to this model",
            remedy="make the optimizer after the model: it may hold the parameters of another one",
        )
    if not any(parameter.requires_grad for parameter in mine):
        raise NoParametersError(
            "all of the model's parameters are frozen (requires_grad is False)",
            remedy="model.requires_grad_(True), or freeze only a part of it",
        )
