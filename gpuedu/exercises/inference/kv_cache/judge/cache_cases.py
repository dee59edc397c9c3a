"""Calls on caches: prompts, single tokens and chunks, of texts of different lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case
from gpuedu.exercises.inference.kv_cache.judge.truths import caches_of, results_of
from gpuedu.exercises.inference.kv_cache.play import ATTEND, BYTES, FULL, PLACES, WRITE

_STALE = 1.0
_COUNTS = {1: "a call", 2: "two calls", 3: "three calls", 4: "four calls"}
Kept = Sequence[int]


def cases(rng: np.random.Generator) -> list[Case]:
    """Each property by itself, on caches that the judge filled; then whole texts."""
    return [
        *_positions(),
        *_prompts(rng),
        *_writes(rng),
        *_tokens(rng),
        *_chunks(rng),
        *_groups(rng),
        *_rests(rng),
        *_full(rng),
        *_bytes(rng),
        *_drawn_positions(rng),
        *_drawn_full(rng),
    ]


def _positions() -> list[Case]:
    return [_places(*one) for one in (([5, 2], 3), ([0, 7, 1], 1), ([4], 6))]


def _drawn_positions(rng: np.random.Generator) -> list[Case]:
    return [
        _places(rng.integers(0, 90, texts).tolist(), int(rng.integers(1, 9))) for texts in (2, 3, 6)
    ]


def _places(lengths: list[int], new: int) -> Case:
    inputs = {"ask": PLACES, "lengths": np.array(lengths), "new": new}
    return Case(f"`positions` of lengths {lengths}, T = {new}", inputs, ("positions",))


def _prompts(rng: np.random.Generator) -> list[Case]:
    return [
        _attend_case(rng, "prompt", [0], 9, [5], heads=2, width=3),
        _attend_case(rng, "prompt", [0, 0, 0], 11, [6], heads=2, width=5),
        _attend_case(rng, "prompt", [0, 0], 4, [1], heads=3, width=4),
    ]


def _writes(rng: np.random.Generator) -> list[Case]:
    found = []
    for lengths, capacity, new, groups in (
        ([1, 4], 8, 1, 2),
        ([5, 1, 0], 9, 3, 2),
        ([2, 3], 7, 2, 1),
    ):
        inputs = _inputs(rng, WRITE, lengths, capacity, [new], heads=groups)
        label = _label(lengths, capacity, [new])
        found.append(Case(label, inputs, ("written",), truth=caches_of(inputs)))
    return found


def _tokens(rng: np.random.Generator) -> list[Case]:
    return [
        _attend_case(rng, "token", [5, 2], 8, [1], heads=2, width=4),
        _attend_case(rng, "token", [1, 6, 0], 9, [1], heads=3, width=5),
        _attend_case(rng, "token", [3, 1], 9, [1, 1, 1], heads=2, width=4, layers=2),
        _attend_case(
            rng, "token", [0, 0, 0], 9, [5, 1, 1], heads=2, width=4, kept=[[5, 2, 3]], layers=2
        ),
    ]


def _chunks(rng: np.random.Generator) -> list[Case]:
    return [
        _attend_case(rng, "chunk", [4], 9, [3], heads=2, width=4),
        _attend_case(rng, "chunk", [1, 5], 11, [4], heads=2, width=3),
        _attend_case(rng, "chunk", [0, 0], 12, [4, 1, 3, 1], heads=2, width=5, kept=[[4, 2]]),
        _far_below(rng),
    ]


def _far_below(rng: np.random.Generator) -> Case:
    """All scores are -200 or less, and of whole numbers, so that float32 has them exactly."""
    inputs = _inputs(rng, ATTEND, [1, 5], 11, [4], heads=2, width=4)
    inputs["cache_k"], (call,) = -1 - np.floor(np.abs(inputs["cache_k"])), inputs["calls"]
    call["key"] = -1 - np.floor(np.abs(call["key"]))
    call["query"] = 100 * (1 + np.floor(np.abs(call["query"])))
    label = f"{_label([1, 5], 11, [4])}, all scores far below 0"
    return Case(label, inputs, ("chunk",), truth=results_of(inputs))


def _groups(rng: np.random.Generator) -> list[Case]:
    """Prompts, so that nothing else is lost with the groups; ``_rests`` has groups, too."""
    return [
        _attend_case(rng, "grouped", [0], 8, [3], heads=6, groups=2, width=4),
        _attend_case(rng, "grouped", [0, 0], 7, [4], heads=6, groups=3, width=4),
        _attend_case(rng, "grouped", [0, 0], 8, [2], heads=5, groups=1, width=3),
    ]


def _rests(rng: np.random.Generator) -> list[Case]:
    """Numbers in the rest that would spread; then ordinary ones, if the result hangs on them."""
    found = [
        _attend_case(rng, "rest", [5, 2], 9, [1], heads=2, width=4, rest=np.nan),
        _attend_case(rng, "rest", [0, 0], 9, [4, 1], heads=2, width=4, kept=[[4, 2]], rest=np.nan),
        _attend_case(rng, "rest", [1, 4], 8, [3], heads=4, groups=2, width=4, rest=np.inf),
        _attend_case(rng, "rest", [3], 8, [2], heads=2, width=4, rest=1e30),
    ]
    return [replace(one, inputs={**one.inputs, "again": _other_rest(one)}) for one in found]


def _other_rest(case: Case) -> dict[str, np.ndarray]:
    """The caches of a case, with zeros behind their tokens."""
    caches = {name: case.inputs[name].copy() for name in ("cache_k", "cache_v")}
    for cache in caches.values():
        for n, length in enumerate(case.inputs["lengths"]):
            cache[:, n, :, length:] = 0
    return caches


def _full(rng: np.random.Generator) -> list[Case]:
    found = []
    for lengths, capacity, new, fits in (
        ([5, 2], 8, 3, True),
        ([8, 2], 8, 2, False),
        ([3, 8], 8, 3, False),
        ([3, 7], 8, 3, False),
        ([2, 6, 0], 8, 3, False),
        ([9, 3], 9, 1, False),
        ([8, 3], 9, 1, True),
    ):
        found.append(_full_case(rng, lengths, capacity, new, fits))
    return found


def _drawn_full(rng: np.random.Generator) -> list[Case]:
    """The longest text fits exactly, or is a token too long."""
    found = []
    for over in (0, 1, 0, 1):
        lengths = rng.integers(0, 12, int(rng.integers(2, 5))).tolist()
        new = int(rng.integers(2, 6))
        found.append(_full_case(rng, lengths, max(lengths) + new - over, new, not over))
    return found


def _full_case(
    rng: np.random.Generator, lengths: Sequence[int], capacity: int, new: int, fits: bool
) -> Case:
    inputs = _inputs(rng, FULL, lengths, capacity, [new])
    inputs["fits"], truth = fits, caches_of(inputs) if fits else None
    return Case(_label(lengths, capacity, [new]), inputs, ("full",), truth=truth)


def _bytes(rng: np.random.Generator) -> list[Case]:
    found = []
    for texts, sizes in (
        (1, (16, 1, 1, 4, 2)),
        (3, (64, 12, 8, 64, 2)),
        (int(rng.integers(4, 9)), (2048, 32, 8, 128, 1)),
        (2, (128, 5, 3, 80, 4)),
    ):
        lengths = [int(one) for one in rng.integers(3, sizes[0] - 2, texts)]
        if texts == 2:
            lengths[-1] = 0  # a text without tokens reserves its places, too
        inputs = {"ask": BYTES, "lengths": lengths, "sizes": list(sizes)}
        told = ", ".join(map(str, sizes))
        found.append(Case(f"`cache_bytes({lengths}, {told})`", inputs, ("bytes",)))
    return found


def _attend_case(
    rng: np.random.Generator,
    decides: str,
    lengths: Sequence[int],
    capacity: int,
    new: Sequence[int],
    **shape: Any,
) -> Case:
    inputs = _inputs(rng, ATTEND, lengths, capacity, new, **shape)
    label = _label(lengths, capacity, new)
    return Case(label, inputs, (decides,), truth=results_of(inputs))


def _label(lengths: Sequence[int], capacity: int, new: Sequence[int]) -> str:
    texts = f"a text of length {lengths[0]}"
    if len(lengths) > 1:
        texts = f"{len(lengths)} texts of lengths {', '.join(map(str, lengths))}"
    calls = f"{_COUNTS[len(new)]} with T = {', then '.join(map(str, new))}"
    return f"{texts} and capacity {capacity}, {calls}"


def _inputs(
    rng: np.random.Generator,
    ask: str,
    lengths: Sequence[int],
    capacity: int,
    new: Sequence[int],
    *,
    heads: int = 2,
    groups: int = 0,
    width: int = 4,
    layers: int = 1,
    kept: Sequence[Kept] = (),
    rest: float = _STALE,
) -> dict[str, Any]:
    """Caches with tokens in them and ``rest`` times stale numbers behind, and calls on them.

    ``kept`` says how many of the new tokens of each text are its own in the first calls, in which
    the others are padding; in all other calls all are.
    """
    texts, groups = len(lengths), groups or heads

    def drawn(many: int, count: int) -> np.ndarray:
        return rng.normal(size=(layers, texts, many, count, width)).astype(np.float32)

    caches = {name: drawn(groups, capacity) for name in ("cache_k", "cache_v")}
    for cache in caches.values():
        for n, length in enumerate(lengths):
            cache[:, n, :, length:] *= np.float32(rest)
    calls = []
    for number, count in enumerate(new):
        own = kept[number] if number < len(kept) else [count] * texts
        call = {"query": 2 * drawn(heads, count), "key": drawn(groups, count)}
        calls.append({**call, "value": drawn(groups, count), "kept": np.array(own)})
    return {"ask": ask, **caches, "lengths": np.array(lengths), "calls": calls}
