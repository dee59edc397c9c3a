"""What torch.compile makes of an update and of a step: its own loops in place of operators.

It needs a C++ compiler and a minute, so it is counted once.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from gpuedu.errors import GpueduError
from gpuedu.profiles import profile
from gpuedu.training import MLP, load_digits, seed_all
from gpuedu.training.seeds import kept_random_state

NAME = "compiled-step"
WHAT = "kernels of a training step on a CPU, as PyTorch runs it and as torch.compile does"

HIDDEN = (64, 64, 64)


def run(tell: Callable[[str], None]) -> dict[str, Any]:
    """Operators that compute, and the loops that the compiler wrote in their place.

    ``eager`` counts operators; ``loops`` are what was compiled from them, and ``library`` the
    operators that the compiled graph still calls (matrix products).
    """
    from torch._inductor import metrics

    if not any(map(shutil.which, ("g++", "clang++", "cl"))):
        raise GpueduError("torch.compile needs a C++ compiler, and none was found here")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    found: dict[str, Any] = {}
    try:
        with kept_random_state():
            for part, make in (("update", _update), ("forward and backward", _gradients)):
                compiled, eager = make(compiled=True), make(compiled=False)
                before = metrics.generated_kernel_count
                compiled()
                loops = metrics.generated_kernel_count - before
                graphs = profile(compiled).operators
                products = [one for one in graphs if one.name in ("aten::mm", "aten::addmm")]
                found[part] = {
                    "eager": int(profile(eager).kernels_per_step),
                    "loops": loops,
                    "library": len(products) // 3,
                }
                tell(f"{part}: {found[part]}")
    finally:
        torch.set_num_threads(threads)
        torch._dynamo.reset()
    return found


def _parts() -> tuple[Any, Any, Callable[[], torch.Tensor]]:
    seed_all(0)
    digits = load_digits().train.take(64)
    model = MLP(64, 10, hidden=HIDDEN)
    optimizer = torch.optim.Adam(model.parameters())

    def loss() -> torch.Tensor:
        return nn.functional.cross_entropy(model(digits.inputs), digits.targets)

    loss().backward()
    return model, optimizer, loss


def _update(*, compiled: bool) -> Callable[[], None]:
    """An update by Adam; compiled, it takes its tensors together, as PyTorch advises."""
    _, optimizer, _ = _parts()

    def step() -> None:
        optimizer.step()

    return torch.compile(step) if compiled else step


def _gradients(*, compiled: bool) -> Callable[[], None]:
    model, _, loss = _parts()
    compute = torch.compile(loss) if compiled else loss

    def step() -> None:
        model.zero_grad()
        compute().backward()

    return step
