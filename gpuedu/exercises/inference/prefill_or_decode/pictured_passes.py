"""Passes of one model on one device, and what a learner's functions say of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from gpuedu.choosing.models import known_model
from gpuedu.choosing.steps import peak
from gpuedu.exercises.plain import number
from gpuedu.hardware.catalog import device

MODEL, MODEL_NAME, DEVICE = "llama3-8b", "Llama 3 8B", "h100-sxm"
COMPUTED = "Computed by your functions, with the data sheet's rates of an H100."
_TOLD = ("parameters", "layers", "width", "heads", "kv_heads")
"""What of a model's shape the learner's functions are given."""


@dataclass(frozen=True)
class Pass:
    """One pass: ``new`` tokens of each of ``texts`` texts, which have ``cached`` before them."""

    name: str
    texts: int
    cached: int
    new: int


def shape(model: str = MODEL) -> dict[str, int]:
    """A published model as the learner's functions get it."""
    found = asdict(known_model(model))
    return {name: found[name] for name in _TOLD}


def rates() -> dict[str, float]:
    """The device as they get it: the dense 16-bit peak, and the bandwidth."""
    found = device(DEVICE)
    return {"flop_per_s": peak(found, "bf16"), "bytes_per_s": found.bandwidth_bytes_per_s}


def cost_of(
    one: Pass, pass_flop: Callable[..., object], pass_bytes: Callable[..., object]
) -> tuple[float, float]:
    """FLOP and bytes of a pass, by the learner's functions."""
    given = shape(), one.texts, one.cached, one.new
    flop = number(pass_flop(*given), "the result of `pass_flop`")
    return float(flop), float(number(pass_bytes(*given), "the result of `pass_bytes`"))
