"""autocast: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.mixed_precision.autocast.autocast_table import DTYPES, EXPRESSIONS
from gpuedu.exercises.plain import describe
from gpuedu.exercises.plain import text as read_text
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_number


def play_autocast(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The learner's table; or their loss under autocast to float16, with its products' dtypes."""
    import torch

    from gpuedu.exercises.mixed_precision.products import ProductWatch

    runs_in, safe_loss = answers
    if inputs["ask"] == "table":
        return {"table": read_table(runs_in)}
    parts = {name: torch.from_numpy(inputs[name].copy()) for name in ("x", "w1", "w2", "yes")}
    watch, given = ProductWatch(zeros=inputs["zeros"]), left_as_given("safe_loss", **parts)
    with quiet_torch(), given, torch.autocast("cpu", torch.float16), watch:
        value = safe_loss(*parts.values())
    loss = as_number(value, "the loss")
    return {"loss": loss, "products": watch.dtypes, "powers": watch.powers}


def read_table(table: Mapping[str, Any]) -> dict[str, str]:
    """The learner's dtype for each of the twelve expressions; AnswerError for what is none."""
    found = {}
    for text in EXPRESSIONS:
        said = table.get(text)
        is_text = isinstance(said, str)
        name = read_text(said) if is_text else str(said).removeprefix("torch.")
        if name not in DTYPES:
            wanted = " or ".join(f'"{dtype}"' for dtype in DTYPES)
            told = "is missing" if said is None else f"is {describe(said)}"
            raise AnswerError(f"`{text}` {told}", remedy=f"it should be {wanted}")
        found[text] = name
    return found


PLAY = Play(
    answers=(
        Answer("runs_in", dict),
        Answer("safe_loss", signature=("x", "w1", "w2", "yes")),
    ),
    run=play_autocast,
    time_limit_s=30.0,  # PyTorch's first optimizer may import for seconds
    by_operations=True,
)
