"""kv-cache: beside the learner's code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.plain import numbers
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array

PLACES, ATTEND, WRITE, FULL, BYTES = "places", "attend", "write", "full", "bytes"
"""What a case asks for."""
_RESULT = "the result of `attend`"
_ERRORS = ("ValueError", "IndexError", "RuntimeError", "AssertionError", "TypeError")
Attend = Callable[..., Any]


def play_kv_cache(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the function of a case gave, or left.

    - ``places``: the result of ``positions``;
    - ``attend``: ``results``, of each call in each layer; ``again``, the same with another rest of
      the caches, where a case has one;
    - ``write``: the caches after one call, and which other arguments were ``changed``;
    - ``full``: what the call ``raised``, and the caches after it;
    - ``bytes``: the two numbers of ``cache_bytes``.
    """
    positions, attend, cache_bytes = answers
    if inputs["ask"] == BYTES:
        with left_as_given("cache_bytes", lengths=inputs["lengths"]):
            got = cache_bytes(inputs["lengths"], *inputs["sizes"])
        reserved, used = numbers(got, 2, "the result of `cache_bytes`")
        return {"reserved": float(reserved), "used": float(used)}
    with quiet_torch():
        if inputs["ask"] == PLACES:
            return {"places": _places(positions, inputs)}
        layers = _layers(inputs)
        if inputs["ask"] == ATTEND:
            results = {"results": _run(attend, layers, inputs)}
            if "again" in inputs:
                results["again"] = _run(attend, _layers(inputs["again"]), inputs)
            return results
        given = layers[0].given(inputs["calls"][0], 0, inputs["lengths"])
        raised = ""
        try:
            attend(*given.values())
        except Exception as fault:
            raised = _kind(fault)
            if inputs["ask"] != FULL or (inputs["fits"] and raised != "ValueError"):
                raise
        kept = {name: as_array(given[name], given[name].shape, name) for name in _CACHES}
        return {**kept, "raised": raised, "changed": layers[0].changed}


_CACHES = ("cache_k", "cache_v")


def _layers(caches: Inputs) -> list[_Layer]:
    return [_Layer(*both) for both in zip(*(caches[name] for name in _CACHES), strict=True)]


def _places(positions: Callable[..., Any], inputs: Inputs) -> np.ndarray:
    import torch

    lengths, new = torch.from_numpy(inputs["lengths"].copy()), inputs["new"]
    shape = (lengths.shape[0], new)
    with left_as_given("positions", lengths=lengths):
        found = positions(lengths, new)
    return as_array(found, shape, "the result of `positions`", "int64")


def _run(attend: Attend, layers: Sequence[_Layer], inputs: Inputs) -> list[np.ndarray]:
    """All calls, one after another, and in each of them all layers; texts grow meanwhile."""
    lengths, results = inputs["lengths"].copy(), []
    for call in inputs["calls"]:
        for number, layer in enumerate(layers):
            given = layer.given(call, number, lengths)
            result = attend(*given.values())
            results.append(as_array(result, given["query"].shape, _RESULT, "float32"))
        lengths = lengths + call["kept"]
    return results


def _kind(fault: Exception) -> str:
    """Which of Python's errors it is."""
    import builtins

    kinds = (name for name in _ERRORS if isinstance(fault, getattr(builtins, name)))
    return next(kinds, "another error")


class _Layer:
    """The caches of one layer, which its calls write to."""

    def __init__(self, cache_k: np.ndarray, cache_v: np.ndarray) -> None:
        import torch

        self._caches = [torch.from_numpy(one.copy()) for one in (cache_k, cache_v)]
        self._before: dict[str, Any] = {}
        self._given: dict[str, Any] = {}

    def given(self, call: Inputs, layer: int, lengths: np.ndarray) -> dict[str, Any]:
        """The arguments of a call, in order; those that aren't caches are made for it alone."""
        import torch

        new = {name: _as_projected(call[name][layer]) for name in ("query", "key", "value")}
        own = {**new, "lengths": torch.from_numpy(lengths.copy())}
        self._before, self._given = {name: one.clone() for name, one in own.items()}, own
        return {**new, **dict(zip(_CACHES, self._caches, strict=True)), "lengths": own["lengths"]}

    @property
    def changed(self) -> list[str]:
        """Names of arguments of the last call that aren't what they were."""
        import torch

        pairs = ((name, one, self._before[name]) for name, one in self._given.items())
        return [name for name, one, before in pairs if not torch.equal(one, before)]


def _as_projected(array: np.ndarray) -> Any:
    """A tensor (N, heads, T, D) that lies as (N, T, heads, D), as a layer's product gives it."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(array.swapaxes(1, 2))).transpose(1, 2)


PLAY = Play(
    (
        Answer("positions", signature=("lengths", "T")),
        Answer("attend", signature=("query", "key", "value", "cache_k", "cache_v", "lengths")),
        Answer(
            "cache_bytes",
            signature=(
                "lengths",
                "capacity",
                "layers",
                "kv_heads",
                "head_width",
                "number_bytes",
            ),
        ),
    ),
    play_kv_cache,
    time_limit_s=30.0,
)
