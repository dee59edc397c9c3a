"""parallel-cpu: beside the learner's code."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.why_gpus.parallel_cpu.parallel_record import record_of

_MARGIN = 4096
"""Elements on both sides of each array; compiled code writes there without an error."""


_UNTOUCHED = 12345.0
"""The content of the margins. A number: NaN would hide a write that computes from the margins."""


def play_parallel_cpu(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``out``, ``x`` and ``y`` after the call, and what lies around ``out``; or the record.

    Where the record is asked for, the function is compiled and not called: once it has run, nothing
    in this process is only the course's any more.
    """
    (saxpy,) = answers
    if inputs["recorded"]:
        arrays = {name: inputs[name].copy() for name in ("x", "y", "out")}
        _compile(saxpy, np.float32(inputs["a"]), *arrays.values())
        return record_of(saxpy, list(arrays.values()))
    padded = {name: _between_margins(inputs[name]) for name in ("x", "y", "out")}
    arrays = {name: whole[_MARGIN:-_MARGIN] for name, whole in padded.items()}
    returned = _call_compiled(
        saxpy, np.float32(inputs["a"]), arrays["x"], arrays["y"], arrays["out"]
    )
    around = np.concatenate([padded["out"][:_MARGIN], padded["out"][-_MARGIN:]])
    return {
        **{name: view.copy() for name, view in arrays.items()},
        "wrote_outside": bool((around != _UNTOUCHED).any()),
        "returns": returned is not None,
    }


def _between_margins(values: np.ndarray) -> np.ndarray:
    whole = np.full(values.size + 2 * _MARGIN, _UNTOUCHED, np.float32)
    whole[_MARGIN:-_MARGIN] = values
    return whole


def _compile(function: Any, *arguments: Any) -> None:
    """Have Numba compile it for these arguments, unless it is plain Python, or is compiled."""
    import numba

    if getattr(function, "_can_compile", False):
        with _refusals_told():
            function.compile(tuple(map(numba.typeof, arguments)))


def _call_compiled(function: Any, *arguments: Any) -> Any:
    with _refusals_told():
        return function(*arguments)


@contextmanager
def _refusals_told() -> Iterator[None]:
    """Say what Numba could not compile in one sentence instead of in a page."""
    from numba.core.errors import NumbaError, NumbaPerformanceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaPerformanceWarning)  # the card says it
        try:
            yield
        except NumbaError as fault:
            raise AnswerError(
                f"Numba cannot compile it: {_gist(str(fault))}",
                remedy="It is called with a float32 number and three float32 arrays.",
            ) from None


def _gist(message: str, limit: int = 240) -> str:
    """The telling lines of Numba's message: what was wrong, and on which line of the learner's."""
    plain = re.sub(r"\x1b\[\d+m", "", message)
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    said = next((line for line in lines if not line.startswith("Failed in ")), "")
    tried = next((line for line in lines if line.startswith(">>> ")), "")
    if said.endswith(":") and tried:
        said = f"{said} `{tried.removeprefix('>>> ')}`"
    places = re.findall(r'File "(?![^"]*site-packages)[^"]*", line (\d+)', plain)
    where = f", on line {places[-1]} of its cell" if places else ""
    return said[:limit].rstrip(".") + where


PLAY = Play(
    (Answer("saxpy", signature=("a", "x", "y", "out")),),
    play_parallel_cpu,
    time_limit_s=40.0,
    isolated=True,
    on_machine=True,
    compiles=True,
)
