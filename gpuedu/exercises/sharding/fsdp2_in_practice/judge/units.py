"""The units that calls of ``fully_shard`` make, and what a training step does with them.

It knows what PyTorch 2.13 does: a call groups the parameters of a module that no earlier call has;
the outermost unit keeps its weights after the forward pass unless it is told otherwise. What it
leaves out: weights that are gathered ahead, but not in use yet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuedu.exercises.sharding.fsdp2_in_practice.wrapping import WHOLE, Wrapped

SIZES = {"bfloat16": 2, "float16": 2, "float32": 4, "": 4}
Shape = Sequence[int]


@dataclass(frozen=True)
class Unit:
    """What is gathered and freed together.

    Attributes:
        name: of the module.
        shapes: of its parameters, by name.
        is_freed: its weights are freed after the forward pass, and gathered again.
        param_dtype: in which weights are gathered; "" is that of the parameters.
        reduce_dtype: in which gradients are summed.
    """

    name: str
    shapes: Mapping[str, Shape]
    is_freed: bool
    param_dtype: str = ""
    reduce_dtype: str = ""

    @property
    def numbers(self) -> int:
        """Of all its weights, without padding."""
        return sum(map(math.prod, self.shapes.values()))


@dataclass(frozen=True)
class Step:
    """What a training step does: messages as (bytes, dtype) in each kind, and whole weights."""

    gathers: tuple[tuple[int, str], ...]
    reductions: tuple[tuple[int, str], ...]
    peak: int


def units_of(calls: Sequence[Wrapped], shapes: Mapping[str, Shape]) -> list[Unit]:
    """The units, in the order of the calls."""
    left, units = dict(shapes), []
    for call in calls:
        own = {name: shape for name, shape in left.items() if _is_in(name, call.module)}
        left = {name: shape for name, shape in left.items() if name not in own}
        is_inner = any(_is_in(f"{call.module}.", other.module) for other in calls if other != call)
        is_freed = is_inner if call.reshard is None else call.reshard
        dtypes = (call.param_dtype, call.reduce_dtype or call.param_dtype)
        units.append(Unit(call.module, own, is_freed, *dtypes))
    return units


def _is_in(name: str, module: str) -> bool:
    return module == WHOLE or name.startswith(f"{module}.")


def padded(shape: Shape, ranks: int) -> int:
    """Numbers of a parameter that is cut along dimension 0 into equal pieces.

    >>> padded((5, 3), 2), padded((4,), 2)
    (18, 4)
    """
    return math.ceil(shape[0] / ranks) * ranks * math.prod(shape[1:])


def unit_bytes(shapes: Sequence[Shape], ranks: int, size: int = SIZES["bfloat16"]) -> int:
    """Bytes of the gathered weights of a unit."""
    return size * sum(padded(shape, ranks) for shape in shapes)


def step_of(units: Sequence[Unit], shapes: Mapping[str, Shape], ranks: int) -> Step:
    """A step in which every module of the model is used once, in the order of its parameters."""
    kept = [one for one in units if one.shapes]
    gathers = [message for one in kept for message in [_message(one, ranks)] * (1 + one.is_freed)]
    reductions = [(_bytes_of(one, one.reduce_dtype, ranks), one.reduce_dtype) for one in kept]
    whole = sum(map(math.prod, shapes.values())) - sum(one.numbers for one in kept)
    return Step(tuple(gathers), tuple(reductions), whole + peak_of(_in_order(kept, shapes)))


def _message(unit: Unit, ranks: int) -> tuple[int, str]:
    return _bytes_of(unit, unit.param_dtype, ranks), unit.param_dtype


def _bytes_of(unit: Unit, dtype: str, ranks: int) -> int:
    return unit_bytes(list(unit.shapes.values()), ranks, SIZES[dtype])


def _in_order(units: Sequence[Unit], shapes: Mapping[str, Shape]) -> list[tuple[int, bool]]:
    """Numbers of each unit, and whether they are freed: the model's first, which stays all along.

    One that is freed early is the model's only if it has parameters that no other has.
    """
    places = {name: at for at, name in enumerate(shapes)}
    outer = [one for one in units if one.name == WHOLE]
    inner = [one for one in units if one.name != WHOLE]
    inner.sort(key=lambda one: min(places[name] for name in one.shapes))
    first = [(one.numbers, one.is_freed) for one in outer] or [(0, False)]
    return [*first, *((one.numbers, one.is_freed) for one in inner)]


def messages_of(units: Sequence[tuple[int, bool]]) -> Mapping[str, float]:
    """All-gathers and reduce-scatters of a step, of units as (numbers, whether they are freed)."""
    return {
        "gathers": float(sum(1 + is_freed for _, is_freed in units)),
        "reductions": float(len(units)),
    }


def peak_of(units: Sequence[tuple[int, bool]]) -> int:
    """The most weights that are whole at once; the first unit stays while the others compute."""
    (root, _), *inner = units
    return max(_live(root, inner), default=root)


def _live(root: int, inner: Sequence[tuple[int, bool]]) -> Iterator[int]:
    """Whole weights while each unit goes forward, and those that stay."""
    kept = root
    for numbers, is_freed in inner:
        yield kept + numbers
        kept += numbers * (not is_freed)
