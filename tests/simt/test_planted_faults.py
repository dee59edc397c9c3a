"""Every planted kernel gets its verdict: the right kind, the right lines, nothing besides.

The table itself is held against two others: Numba takes and refuses what the table says it does,
and a scalar interpreter with vector clocks comes to the same verdicts (in CI, of a third of it).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from gpuedu.errors import GpueduError
from gpuedu.simt import simulate
from gpuedu.trace import Finding, Level
from tests.sampled import sampled
from tests.simt import oracle
from tests.simt.planted import PLANTS, Plant
from tests.simt.planted.table import REFUSED
from tests.simt.planted.witnesses import WITNESSES

ON_ARRAYS = (
    "out-of-bounds",
    "negative-index",
    "uninitialised-read",
    "data-race",
    "same-value-write",
)


def chosen(condition: Callable[[Plant], bool]) -> list[object]:
    """The plants of that kind, by name."""
    return [pytest.param(p, id=name) for name, p in PLANTS.items() if condition(p)]


@cache
def findings(entry: Plant) -> tuple[Finding, ...]:
    """What the machine finds in a run of the planted kernel."""
    return simulate(
        entry.kernel,
        entry.grid,
        entry.block,
        *entry.arguments(),
        dynamic_shared_bytes=entry.dynamic_shared_bytes,
    ).findings


def lines(found: list[Finding]) -> set[int]:
    """The lines that the findings name; a race names two."""
    return {p.line for f in found for p in (f.place, f.other_place) if p is not None}


@pytest.mark.parametrize("entry", chosen(lambda p: p.kind not in REFUSED))
def test_the_verdict_is_the_planted_one(entry: Plant):
    found = findings(entry)
    hazards = [f for f in found if f.level is Level.HAZARD]
    assert {f.kind for f in hazards} == ({entry.kind} if entry.kind else set())
    if entry.kind:
        assert lines(hazards) == entry.marked_lines


@pytest.mark.parametrize("entry", chosen(lambda p: p.kind is not None and p.kind not in REFUSED))
def test_a_hazard_says_who_where_and_what_to_try(entry: Plant):
    extents = dict(zip(inspect.signature(entry.kernel).parameters, entry.arguments(), strict=True))
    for f in findings(entry):
        assert f.message and f.remedy and f.place and f.who and f.count > 0
        block = np.atleast_1d(entry.block)
        assert all(0 <= k < n for k, n in zip(f.who.thread, (*block, 1, 1), strict=False))
        if f.kind in ON_ARRAYS:
            assert f.array and f.index
            inside = f.kind in ("data-race", "uninitialised-read", "same-value-write")
            if f.array in extents and not entry.helpers:
                shape = extents[f.array].shape
                assert inside == all(0 <= i < n for i, n in zip(f.index, shape, strict=True))
        if f.kind == "data-race":
            assert f.other_place and f.other and f.other != f.who


@pytest.mark.parametrize("name", WITNESSES)
def test_the_first_witness_is_the_one_worked_out_by_hand(name: str):
    expected = WITNESSES[name]
    f = next(f for f in findings(PLANTS[name]) if f.level is Level.HAZARD)
    assert (f.array, f.index) == (expected.array, expected.index)
    involved = {(t.block, t.thread) for t in (f.who, f.other) if t}
    if expected.other:
        assert involved == {expected.who, expected.other}
    else:
        assert (f.who.block, f.who.thread) == expected.who
    assert expected.count in (None, f.count)


@pytest.mark.parametrize("entry", chosen(lambda p: p.note is not None))
def test_a_harmless_oddity_is_a_note(entry: Plant):
    notes = [f for f in findings(entry) if f.level is Level.NOTE and f.kind == entry.note]
    assert lines(notes) == entry.marked_lines


@pytest.mark.parametrize("entry", chosen(lambda p: p.kind in REFUSED))
def test_what_no_device_would_take_is_refused(entry: Plant):
    arguments = entry.arguments()
    with pytest.raises(GpueduError) as caught:
        simulate(
            entry.kernel,
            entry.grid,
            entry.block,
            *arguments,
            dynamic_shared_bytes=entry.dynamic_shared_bytes,
        )
    for line in entry.marked_lines:
        assert f"line {line}" in str(caught.value) or caught.value.line == line


@pytest.mark.parametrize("entry", chosen(lambda p: True))
def test_numba_takes_and_refuses_the_same_kernels(entry: Plant):
    if entry.kind == "unsupported-construct":
        with pytest.raises(oracle.REFUSALS):
            oracle.infer(entry.kernel, *entry.arguments())
    else:
        oracle.infer(entry.kernel, *entry.arguments())


@pytest.mark.parametrize("entry", sampled(chosen(lambda p: p.suits_the_oracle), every=3))
def test_the_oracle_comes_to_the_same_verdict(entry: Plant):
    seen = run_by_oracle(entry, entry.arguments(), seed=0)
    assert seen.lines == ({entry.kind: entry.marked_lines} if entry.kind else {})
    if entry.note:
        assert {line for pair in seen.same_value_writes for line in pair} == entry.marked_lines


@pytest.mark.parametrize(
    "entry", sampled(chosen(lambda p: p.suits_the_oracle and p.has_one_result), every=3)
)
def test_a_correct_kernel_gives_the_same_in_every_order(entry: Plant):
    one, other = entry.arguments(), entry.arguments()
    run_by_oracle(entry, one, seed=oracle.IN_STEP)
    run_by_oracle(entry, other, seed=3)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def run_by_oracle(entry: Plant, arguments: tuple[object, ...], seed: int) -> oracle.Outcome:
    """Run the planted kernel on the scalar interpreter."""
    shared = entry.dynamic_shared_bytes
    return oracle.run(
        entry.kernel, entry.grid, entry.block, *arguments, dynamic_shared_bytes=shared, seed=seed
    )
