"""What PyTorch's tools for operators say of a learner's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gpuedu.exercises.into_pytorch.autograd_function.pictured_operator import (
    define,
    nothing_compiled,
)
from gpuedu.exercises.training.quiet import quiet_torch

_BETA, _MOST, _ROUNDING = 1.5, 78, 1e-12
_LONG = (re.compile(r".*mismatched tensor metadata: "), re.compile(r"function \S+Backward"))
_SHORT = ("", "the backward pass")


def tell_operator_checks(*functions: Callable[..., Any]) -> str:
    """A line for each question, with the call that asks it.

    Args:
        functions: ``forward``, ``fake``, ``setup_context`` and ``backward``.
    """
    with quiet_torch(), nothing_compiled():
        gate = define(*functions)
        lines = []
        for says, is_transposed in (("x, y", False), ("x.T, y.T", True)):
            lines.append(f"torch.library.opcheck(gate, ({says}, {_BETA}))")
            lines += _opcheck(gate, is_transposed)
        lines.append(f"torch.autograd.gradcheck(gate, (x, y, {_BETA}))")
        lines.append(f"    {_gradcheck(gate)}")
        lines.append('torch.compile(layer, backend="aot_eager", fullgraph=True)')
        lines.append(f"    {_compile(gate)}")
    return "\n".join(lines)


def _operands(*, is_transposed: bool = False) -> tuple[Any, Any, float]:
    import torch

    shape = (4, 3) if is_transposed else (3, 4)
    x, y = (torch.randn(shape, dtype=torch.float64) for _ in range(2))
    x, y = (one.T if is_transposed else one for one in (x, y))
    return x.requires_grad_(), y.requires_grad_(), _BETA


def _opcheck(gate: Any, is_transposed: bool) -> list[str]:
    import torch

    try:
        found = torch.library.opcheck(
            gate, _operands(is_transposed=is_transposed), raise_exception=False
        )
    except Exception as fault:
        return [f"    {_first_line(fault)}"]
    return [
        f"    {name}: {one if isinstance(one, str) else _first_line(one)}"
        for name, one in found.items()
    ]


def _gradcheck(gate: Any) -> str:
    import torch

    try:
        return str(torch.autograd.gradcheck(gate, _operands(), fast_mode=True))
    except Exception as fault:
        return _first_line(fault)


def _compile(gate: Any) -> str:
    import torch

    def layer(x: Any, y: Any) -> Any:
        return gate(2 * x, y + 1, _BETA).tanh().sum()

    x, y, _ = _operands()
    try:
        plain = torch.autograd.grad(layer(x, y), (x, y))
        compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
        found = torch.autograd.grad(compiled(x, y), (x, y))
    except Exception as fault:
        return _first_line(fault)
    off = max(float((a - b).abs().max()) for a, b in zip(plain, found, strict=True))
    if off > _ROUNDING:
        return f"one graph; its gradients differ from those without it by {off:.1e}"
    return "one graph; its gradients are those without it"


def _first_line(fault: Any) -> str:
    """What is wrong, in short: PyTorch tells a story around it."""
    lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
    line = next((line for line in lines if "Error" in line), lines[0] if lines else "")
    for long, short in zip(_LONG, _SHORT, strict=True):
        line = long.sub(short, line)
    told = line if "Error: " in line[:40] else f"{type(fault).__name__}: {line}"
    return told if len(told) <= _MOST else f"{told[: _MOST - 3]}..."
