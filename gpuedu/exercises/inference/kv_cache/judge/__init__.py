"""kv-cache: attention with a cache, held against attention of whole texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from gpuedu.exercises.compare import are_close, number_fault, show_apart
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.inference.kv_cache.judge.cache_cases import cases

_ROUNDING = 2e-5
"""Of numbers near 1, in float32."""
_ORDER = ("first", "second", "third", "fourth")


def _test_positions(case: Case, observed: Plain) -> Iterator[Fault]:
    lengths, got = case.inputs["lengths"], observed["places"]
    for n, token in product(range(got.shape[0]), range(got.shape[1])):
        if got[n, token] != lengths[n] + token:
            told = f"expected {lengths[n] + token}"
            yield Fault("positions", f"new token {token} of text {n} is at {got[n, token]}, {told}")
            return


def _results_right(name: str, says: str, points: float, asks: str, **more: Any) -> Property:
    """All results of a case are those of the whole texts."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        layers = len(case.inputs["cache_k"])
        for at, (got, wanted) in enumerate(zip(observed["results"], case.truth, strict=True)):
            wrong = ~are_close(got, wanted, _ROUNDING)
            if wrong.any():
                n, head, token, place = (int(i) for i in np.argwhere(wrong)[0])
                shown, true = show_apart(got[n, head, token, place], wanted[n, head, token, place])
                if "again" in observed and _are_same(observed["results"], observed["again"]):
                    yield Undecided(name, "the result is wrong here whatever is in the rest")
                    return
                called = "" if len(case.truth) == 1 else f"in the {_ORDER[at // layers]} call, "
                called += f"layer {at % layers}, " if layers > 1 else ""
                yield Fault(
                    name,
                    f"{called}text {n}, head {head}, new token {token}: number {place} is {shown}, "
                    f"and {true} if the whole text is computed again "
                    f"({int(wrong.sum())} of {got.size} numbers differ)",
                )
                return

    return Property(name, says, points, asks, test, **more)


def _are_same(some: Sequence[np.ndarray], others: Sequence[np.ndarray]) -> bool:
    """Whether all results are the same, up to rounding; NaN is NaN."""
    pairs = zip(some, others, strict=True)
    return all(np.allclose(*both, rtol=0, atol=_ROUNDING, equal_nan=True) for both in pairs)


def _test_written(case: Case, observed: Plain) -> Iterator[Fault]:
    yield from _differing("written", case, observed, case.truth)
    if observed["changed"]:
        yield Fault("written", f"`{observed['changed'][0]}` isn't what it was before the call")


def _differing(
    prop: str, case: Case, observed: Plain, wanted: dict[str, np.ndarray]
) -> Iterator[Fault]:
    """The first place of a cache that isn't as it should be."""
    new = case.inputs["calls"][0]["key"].shape[3]
    for name, true in wanted.items():
        got = observed[name]
        wrong = ~((got == true) | (np.isnan(got) & np.isnan(true)))
        if wrong.any():
            n, head, place, number = (int(i) for i in np.argwhere(wrong)[0])
            length = int(case.inputs["lengths"][n])
            is_new = prop == "written" and length <= place < length + new
            whose = f"where new token {place - length} belongs" if is_new else "which isn't new"
            shown, should = show_apart(got[n, head, place, number], true[n, head, place, number])
            at = f"{n}, {head}, {place}, {number}"
            told = f"place {place} of text {n}, {whose}"
            yield Fault(prop, f"`{name}[{at}]` is {shown}, expected {should}: {told}")
            return


def _test_full(case: Case, observed: Plain) -> Iterator[Fault]:
    raised = observed["raised"]
    if case.truth is not None:
        if raised:
            yield Fault("full", f"it raised {raised}, and all new tokens fit")
        return
    if raised != "ValueError":
        told = f"it raised {raised}, not a ValueError" if raised else "it raised nothing"
        yield Fault("full", told)
        return
    before = {name: case.inputs[name][0].astype(np.float64) for name in ("cache_k", "cache_v")}
    for fault in _differing("full", case, observed, before):
        yield Fault("full", f"it raised ValueError, but {fault.message.split(':')[0]}")


def _test_bytes(case: Case, observed: Plain) -> Iterator[Fault]:
    capacity, layers, kv_heads, head_width, number_bytes = case.inputs["sizes"]
    lengths = case.inputs["lengths"]
    token = sum(2 * head_width * number_bytes for _ in range(layers) for _ in range(kv_heads))
    for name, tokens in (("reserved", len(lengths) * capacity), ("used", sum(lengths))):
        call = case.label.strip("`")
        yield from number_fault(
            "bytes", call, observed[name], float(tokens * token), unit=f"bytes {name}"
        )


JUDGE = Judge(
    title="A cache that changes nothing but the time",
    properties=(
        Property(
            "positions",
            "`positions`: the place of each new token",
            0.5,
            "How many tokens of its own text are before it?",
            _test_positions,
        ),
        _results_right(
            "prompt",
            "a prompt, into empty caches",
            1.5,
            "Which tokens does this one look at, and with which weights?",
        ),
        Property(
            "written",
            "new keys and values are in their places, and nothing else has changed",
            1,
            "Which place of which text does each new key belong to, and who else uses the tensors "
            "that you are given?",
            _test_written,
        ),
        _results_right(
            "token",
            "one new token for each text, of texts of different lengths",
            1.5,
            "Which places of the cache does this new token look at, and at which should it?",
            waits_for=("prompt",),
        ),
        _results_right(
            "chunk",
            "several new tokens after those in the cache",
            1.5,
            "Write down which places the first of the new tokens looks at, and which the last.",
            waits_for=("prompt",),
        ),
        _results_right(
            "grouped",
            "heads that share keys and values",
            1.5,
            "Which keys does this head read, and which does the next one?",
            waits_for=("prompt",),
        ),
        _results_right(
            "rest",
            "what is in the rest of a cache takes no part, whatever it is",
            1,
            "What does your code compute with numbers from the rest of a cache, and what comes of "
            "it if one of them is NaN?",
            after=("token", "chunk"),
        ),
        Property(
            "full",
            "tokens that don't fit are refused with a ValueError, before anything is written",
            1,
            "For each text: what's the last place that is written to, and the last that there is?",
            _test_full,
        ),
        Property(
            "bytes",
            "`cache_bytes`: what is reserved, and what is in use",
            0.5,
            "How many numbers does one token leave in one layer? How many tokens is there room "
            "for, and how many are there?",
            _test_bytes,
        ),
    ),
    hints=(
        "Take one text at first: its new keys go to the places `length` to `length + T - 1`, and "
        "new token t looks at the places 0 to `length + t`. Then think of a mask for all texts, or "
        "go through them in a loop.",
        "With a mask: `places = positions(lengths, T)` has shape (N, T), and `slots = "
        "torch.arange(capacity)`. Then `slots <= places[:, :, None]` says for each text and new "
        "token which places it sees. Scores are (N, H, T, capacity), so it needs one more "
        "dimension. `repeat_interleave(H // G, dim=1)` gives every head its keys.",
        "In a loop: `start = int(lengths[n])`, `end = start + T`, `cache_k[n, :, start:end] = "
        "key[n]`, the same for values, and then only `cache_k[n, :, :end]` is read: nothing of the "
        "rest is there. The mask is `torch.ones(T, end, dtype=torch.bool).tril(start)`. Check all "
        "lengths before the loop.",
    ),
    cases=cases,
    predictions={
        "kv-cache": Prediction(
            "A text starts with one token, and a model writes 1,000 more. How many times as many "
            "tokens go through the model without a cache as with one?",
            truth=500.5,
            unit="times",
            because="1 + 2 + ... + 1,000 = 500,500 tokens, and 1,000 with a cache. For a text of n "
            "tokens it is about n / 2 times: the longer it gets, the more a cache saves.",
        ),
    },
)
