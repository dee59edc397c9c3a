"""feature-gate: which wheel runs on each architecture, and what the formats do there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.hardware.architectures import architectures, wheels

_SHOWN = ("tf32", "bf16", "fp16", "fp8", "fp4")
_WIDTH = 11


def tell_architectures(wheel_for: Callable[..., Any], outcome: Callable[..., Any]) -> str:
    """A table as text, from the learner's functions."""
    built = {name: list(targets) for name, targets in wheels().items()}
    head = ["architecture", "capability", "wheel", *_SHOWN]
    rows = [head]
    for one in architectures().values():
        for written in one.compute_capabilities:
            capability = tuple(map(int, written.split(".")))
            wheel = str(wheel_for(capability, built)) or "none"
            device = {"capability": capability, "formats": list(one.tensor_formats)}
            job = {"built": built.get(wheel, [])}
            told = [str(outcome(device, job | {"format": name})) for name in _SHOWN]
            rows.append([one.name, written, wheel, *told])
    lines = ["".join(f"{text:<{_WIDTH}.{_WIDTH - 1}}" for text in row).rstrip() for row in rows]
    lines[0] = "".join(
        f"{text:<{_WIDTH}.{_WIDTH - 1}}" for text in ["built for", *head[1:]]
    ).rstrip()
    note = "By your functions, with the first wheel of PyTorch 2.13 that runs: cu132, cu130, cu126."
    return "\n".join([*lines, "", note])


PICTURE = tell_architectures
