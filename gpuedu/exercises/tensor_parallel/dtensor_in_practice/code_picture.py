"""A plan as code of PyTorch, with which a learner cuts a block of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gpuedu.exercises.tensor_parallel.dtensor_in_practice.picture import plan_given_by
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.plans import COLUMNS, REPLICATE, Style

_CLASSES = {
    "colwise": "ColwiseParallel",
    "rowwise": "RowwiseParallel",
    "sequence": "SequenceParallel",
    "prepare": "PrepareModuleInput",
}
_DEFAULTS = {"colwise": (REPLICATE, COLUMNS), "rowwise": (COLUMNS, REPLICATE)}
"""Layouts of input and output that a class has where none are named: Shard(-1) is Shard(1) here."""


def spell_plan(plan: Callable[..., Any]) -> str:
    """The plan that a function of the learner's returns, as lines that can be run as they are."""
    return spelled(plan_given_by(plan))


def spelled(plan: Mapping[str, Style]) -> str:
    """Imports, the plan, and the call that cuts a ``block``."""
    styles = {name: spelled_style(one) for name, one in plan.items()}
    text = " ".join(styles.values())
    layouts = [one for one in ("Replicate", "Shard") if f"{one}(" in text]
    classes = sorted({_CLASSES[one.kind] for one in plan.values()})
    lines = ["from torch.distributed.device_mesh import init_device_mesh"]
    lines += [f"from torch.distributed.tensor import {', '.join(layouts)}"] if layouts else []
    lines += ["from torch.distributed.tensor.parallel import ("]
    lines += [f"    {one}," for one in (*classes, "parallelize_module")]
    lines += [")", "", 'mesh = init_device_mesh("cuda", (8,))', "plan = {"]
    lines += [f'    "{name}": {one},' for name, one in styles.items()]
    return "\n".join([*lines, "}", "parallelize_module(block, mesh, plan)"])


def spelled_style(style: Style) -> str:
    """The call that makes the style's object; what PyTorch does anyway is left out.

    >>> spelled_style(Style("rowwise", "Shard(1)", "Shard(0)"))
    'RowwiseParallel(output_layouts=Shard(0))'
    """
    if style.kind == "sequence":
        options = ["sequence_dim=0"]
    elif style.kind == "prepare":
        options = [f"input_layouts={style.input}", f"desired_input_layouts={REPLICATE}"]
    else:
        into, out = _DEFAULTS[style.kind]
        options = [f"input_layouts={style.input}"] if style.input != into else []
        options += [f"output_layouts={style.output}"] if style.output != out else []
    return f"{_CLASSES[style.kind]}({', '.join(options)})"
