"""What is tested of the calls of ``fully_shard``: units, what is freed, and dtypes."""

from __future__ import annotations

from collections.abc import Iterator

from gpuedu.exercises.contract import Case, Fault, Plain, Undecided
from gpuedu.exercises.sharding.fsdp2_in_practice.blocks_model import (
    BlocksSpec,
    build_blocks,
    shapes_in,
)
from gpuedu.exercises.sharding.fsdp2_in_practice.judge.units import Shape, Unit, units_of
from gpuedu.exercises.sharding.fsdp2_in_practice.wrapping import WHOLE, Wrapped

_FEW = 3


def test_units(case: Case, observed: Plain) -> Iterator[Fault]:
    """Every block is a unit, and the model has the rest."""
    if told := _misgrouped(case, observed):
        yield Fault("units", told)


def _misgrouped(case: Case, observed: Plain) -> str:
    if observed["refused"]:
        return observed["refused"]
    shapes, units = _grouped(case, observed)
    owner = {name: one for one in units for name in one.shapes}
    for name in shapes:
        if name not in owner:
            return f"`{name}` is in no unit: it stays whole, and nobody sums its gradients"
    for name in shapes:
        wanted = _unit_wanted(name)
        if owner[name].name != wanted:
            told = _some([one.name for one in units if one.shapes])
            return f"`{name}` is in the unit of `{owner[name].name}`; the units are {told}"
    return ""


def _grouped(case: Case, observed: Plain) -> tuple[dict[str, Shape], list[Unit]]:
    shapes = shapes_in(build_blocks(BlocksSpec.of(case.inputs["model"])))
    return shapes, units_of([Wrapped(*one) for one in observed["calls"]], shapes)


def _unit_wanted(parameter: str) -> str:
    """Of ``blocks.2.up.weight`` the block, of others the model."""
    first, *rest = parameter.split(".")
    return f"blocks.{rest[0]}" if first == "blocks" else WHOLE


def _some(names: list[str]) -> str:
    told = [f"`{name}`" for name in names]
    return ", ".join(told[:_FEW]) + (f" and {len(told) - _FEW} more" if len(told) > _FEW else "")


def test_reshard(case: Case, observed: Plain) -> Iterator[Fault]:
    """All blocks but the last are freed after their forward pass; the model's own weights stay."""
    if _misgrouped(case, observed):
        yield Undecided("reshard", "the units are not right yet")
        return
    _, units = _grouped(case, observed)
    last = f"blocks.{len(case.inputs['model']['hidden']) - 1}"
    for one in units:
        is_kept = one.name in (last, WHOLE)
        if one.shapes and one.is_freed == is_kept:
            after = "are freed after its forward pass" if one.is_freed else "stay"
            which = "the last block" if one.name == last else f"`{one.name}`"
            yield Fault("reshard", f"the weights of {which} {after}")
            return


def test_dtypes(case: Case, observed: Plain) -> Iterator[Fault]:
    """Every unit gathers in bfloat16 and reduces in float32."""
    if _misgrouped(case, observed):
        yield Undecided("dtypes", "the units are not right yet")
        return
    for one in _grouped(case, observed)[1]:
        pairs = ("weights", one.param_dtype, "bfloat16"), ("gradients", one.reduce_dtype, "float32")
        for what, got, wanted in pairs:
            if one.shapes and (got or "float32") != wanted:
                told = got or "float32, as they are"
                yield Fault("dtypes", f"the {what} of `{one.name}` travel in {told}, not {wanted}")
                return
