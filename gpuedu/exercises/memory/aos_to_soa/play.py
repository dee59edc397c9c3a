"""aos-to-soa: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.kernels.launches import launch_play
from gpuedu.exercises.plain import describe

_KERNEL = launch_play("speed_squared(fields, out)", counts=("fields", "out"))


def _play(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The learner's arrangement of a table, and where asked for, a launch that reads from it."""
    to_soa, speed_squared = answers
    table = inputs["table"]
    fields = to_soa(table)
    _require_fields(fields, table.shape)
    before = fields.copy()
    seen = {"arranged": before, "step_bytes": int(fields.strides[1]), "table": table.copy()}
    if inputs["ask"] == "layout":
        return seen
    launched = _KERNEL.run([speed_squared], {**inputs, "fields": fields})
    return seen | launched | {"changed": not np.array_equal(before, fields)}


def _require_fields(fields: Any, shape: tuple[int, int]) -> None:
    n, many = shape
    if type(fields) is not np.ndarray:
        raise AnswerError(f"`to_soa` should return an array, got {describe(fields)}")
    if fields.shape != (many, n) or fields.dtype != np.float32:
        raise AnswerError(
            f"`to_soa` got a table of shape {shape} and should return a float32 array of shape "
            f"{(many, n)}, got {fields.dtype} of shape {fields.shape}",
            remedy=_why_no_fields(fields, (many, n)),
        )


def _why_no_fields(fields: np.ndarray, shape: tuple[int, int]) -> str:
    if fields.shape != shape:
        return "One row for each field, one column for each particle."
    size_bytes = fields.dtype.itemsize
    more = f": {fields.dtype} takes {size_bytes} bytes a number, float32 4" * (size_bytes != 4)
    return f"The shape is right, the type is not{more}. Which call changed it?"


PLAY = Play(
    (Answer("to_soa", signature=("table",)), *_KERNEL.answers),
    _play,
    on_machine=True,
)
