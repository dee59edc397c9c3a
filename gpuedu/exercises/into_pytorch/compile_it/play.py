"""compile-it: beside the learner's code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.attesting import attested
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import describe
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array, as_number

_PAIR = 2


def play_compile_it(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What each call gives, uncompiled; or what TorchDynamo did while the same was called."""
    arguments, layer = answers
    _require_uncompiled(layer)
    with quiet_torch():
        if inputs["ask"] == "values":
            return _values(arguments, layer, inputs)
        return attested(lambda: _graphs(arguments, layer, inputs))


def _values(arguments: Any, layer: Any, inputs: Inputs) -> dict[str, Any]:
    outs, peaks = [], []
    for prepare in calls_of(arguments, inputs):
        got = layer(*prepare())
        outs.append(_output_of(got, inputs, len(outs)))
        peaks.append(as_number(got[1], "`peak`"))
    return {"outs": outs, "peaks": peaks}


def _output_of(got: Any, inputs: Inputs, call: int) -> Any:
    """The output in what a call of ``layer`` returned."""
    if not isinstance(got, tuple | list) or len(got) != _PAIR:
        raise AnswerError(f"`layer` should return `out, peak`, got {describe(got)}")
    shape = (len(inputs["calls"][call]["x"]), inputs["v"].shape[1])
    return as_array(got[0], shape, "the output of `layer`")


def _graphs(arguments: Any, layer: Any, inputs: Inputs) -> dict[str, Any]:
    from gpuedu.exercises.into_pytorch.compile_it.watching import watch_calls

    seen = watch_calls(_learners(layer), calls_of(arguments, inputs))
    return {
        "outs": [_output_of(one.result, inputs, at).tolist() for at, one in enumerate(seen.calls)],
        "compiled": [one.compiled for one in seen.calls],
        "ran": [len(one.graphs) for one in seen.calls],
        "reasons": [one.reason for one in seen.calls],
        "ends": seen.ends,
        "line": seen.line,
        "refuses": bool(seen.refused),
        "refused": seen.refused,
        "fixed": seen.fixed,
    }


def _learners(function: Any) -> Any:
    """The learner's own function, where the course has wrapped it.

    TorchDynamo looks up a function's globals in the module of that name, but for the outermost one.
    """
    while hasattr(function, "__wrapped__") and str(function.__module__).startswith("gpuedu."):
        function = function.__wrapped__
    return function


def _require_uncompiled(layer: Any) -> None:
    """Refuse what is compiled already, or kept from it: PyTorch would take that off again."""
    if hasattr(_learners(layer), "_torchdynamo_orig_callable"):
        raise AnswerError(
            "`layer` comes with a compiler's decorator",
            remedy="Hand in the plain function: the check compiles it.",
        )


def calls_of(arguments: Any, inputs: Mapping[str, Any]) -> list[Callable[[], tuple]]:
    """What makes the arguments of each call of ``layer``: new tensors each time."""
    import torch

    weights = torch.tensor(inputs["w"]), torch.tensor(inputs["v"])

    def prepare(call: Mapping[str, Any]) -> tuple:
        given = arguments(torch.tensor(call["x"]), call["gain"], call["step"])
        if not isinstance(given, tuple | list) or len(given) != _PAIR:
            raise AnswerError(f"`arguments` should return `x, scale`, got {describe(given)}")
        return (*weights, *given)

    return [lambda call=call: prepare(call) for call in inputs["calls"]]


PLAY = Play(
    (
        Answer("arguments", signature=("x", "gain", "step")),
        Answer("layer", signature=("w", "v", "x", "scale")),
    ),
    play_compile_it,
    time_limit_s=30.0,
    observes="what TorchDynamo makes of the learner's functions",
    observed_in=("graph", "batch", "numbers"),
    attests=True,
)
