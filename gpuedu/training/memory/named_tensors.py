"""What a model and its optimizer hold: each tensor with its kind and its name."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor, nn
from torch.optim import Optimizer

NamedTensor = tuple[str, str, Tensor]
"""Kind, name, tensor."""


def named_tensors(model: nn.Module, optimizer: Optimizer | None = None) -> Iterator[NamedTensor]:
    """Weights, buffers, gradients and the optimizer's state, as they are now.

    >>> model = nn.Linear(2, 3, bias=False)
    >>> [(kind, name, tensor.nbytes) for kind, name, tensor in named_tensors(model)]
    [('weights', 'weight', 24)]
    """
    names = {}
    for name, parameter in model.named_parameters():
        names[parameter] = name
        yield "weights", name, parameter
    for name, buffer in model.named_buffers():
        yield "buffers", name, buffer
    yield from gradients(model)
    if optimizer is not None:
        for parameter, state in optimizer.state.items():
            for value in state.values():
                if isinstance(value, Tensor):
                    yield "optimizer", names.get(parameter, "(not the model's)"), value


def gradients(model: nn.Module) -> Iterator[NamedTensor]:
    """The existing gradients."""
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            yield "gradients", name, parameter.grad
