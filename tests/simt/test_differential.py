"""The machine against a scalar oracle on random kernels, and against Numba's typing and simulator."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuedu.simt import simulate, variable_types
from tests.sampled import WHOLE, sampled
from tests.simt import oracle
from tests.simt.kernels_generated import (
    DTYPES,
    ROUGH,
    Drawn,
    GeneratedKernel,
    generate,
    generate_conflicts,
    load,
    operators_kernel,
)
from tests.simt.planted import PLANTS, Plant, simulator
from tests.simt.planted.table import REFUSED

GENERATED = settings(
    max_examples=240 if WHOLE else 8,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@st.composite
def generated_kernels(draw: st.DrawFn) -> GeneratedKernel:
    return generate(Drawn(draw))


@st.composite
def conflicting_kernels(draw: st.DrawFn) -> GeneratedKernel:
    return generate_conflicts(Drawn(draw))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("generated")


@GENERATED
@given(generated_kernels())
def test_random_kernels_give_what_the_oracle_gives(folder: Path, g: GeneratedKernel):
    kernel = load(g.source, folder)
    expected, actual = g.arguments(), g.arguments()
    try:
        consistent = oracle.infer(kernel, *expected).is_consistent
    except oracle.REFUSALS:
        return
    seen = oracle.run(kernel, g.grid, g.block, *expected)
    assert not seen.kinds
    trace = simulate(kernel, g.grid, g.block, *actual)
    assert_equal(actual, expected)
    assert not trace.hazards
    untraced = g.arguments()
    simulate(kernel, g.grid, g.block, *untraced, trace=False)
    assert_equal(untraced, expected)
    if consistent:
        types = oracle.variable_types(kernel, *g.arguments())
        own = variable_types(kernel, *g.arguments())
        assert {name: own.get(name) for name in types} == types


@GENERATED
@given(conflicting_kernels())
def test_races_are_those_that_the_oracle_sees(folder: Path, g: GeneratedKernel):
    """What races in every order must be found, and nothing that races in none.

    A fence and an atomic order what one thread did before another's atomic only if it comes first,
    so with fences the verdict may depend on the order; without, it does not.
    """
    kernel = load(g.source, folder)
    orders = range(oracle.IN_STEP, 5) if "threadfence" in g.source else [oracle.IN_STEP]
    seen = [oracle.run(kernel, g.grid, g.block, *g.arguments(), seed=s) for s in orders]
    found = simulate(kernel, g.grid, g.block, *g.arguments()).hazards
    races = {frozenset((f.place.line, f.other_place.line)) for f in found if f.kind == "data-race"}
    # A read of unwritten memory that races with the write may be told as either.
    excused = {"uninitialised-read"} if races else set()
    kinds = {f.kind for f in found} - excused
    assert set.intersection(*(s.kinds for s in seen)) - excused <= kinds
    assert kinds <= set.union(*(s.kinds for s in seen))
    # In a kernel that races anyway, an atomic may come between two equal writes.
    assert races <= set.union(*(s.races | s.same_value_writes for s in seen))


def assert_equal(actual: tuple[object, ...], expected: tuple[object, ...]) -> None:
    """Bit for bit, but for the one array that transcendental functions write."""
    for k, (a, b) in enumerate(zip(actual, expected, strict=True)):
        if k == ROUGH:
            np.testing.assert_allclose(a, b, rtol=1e-5, err_msg=f"argument {k}")
        else:
            np.testing.assert_array_equal(a, b, err_msg=f"argument {k}")


@pytest.mark.parametrize(("first", "second"), sampled(product(DTYPES, repeat=2), every=10))
def test_every_operator_gives_the_type_and_value_that_numba_gives(
    folder: Path, first: str, second: str
):
    g = operators_kernel(first, second)
    kernel = load(g.source, folder)
    expected, actual = g.arguments(), g.arguments()
    oracle.run(kernel, g.grid, g.block, *expected)
    simulate(kernel, g.grid, g.block, *actual)
    np.testing.assert_allclose(actual[-1], expected[-1], rtol=1e-6, atol=0)
    types = oracle.variable_types(kernel, *g.arguments())
    own = variable_types(kernel, *g.arguments())
    assert {name: own.get(name) for name in types} == types


CORRECT = [
    pytest.param(p, id=n) for n, p in PLANTS.items() if p.suits_the_oracle and p.has_one_result
]
RUNNABLE = [pytest.param(p, id=n) for n, p in PLANTS.items() if p.kind not in REFUSED]


@pytest.mark.parametrize("entry", sampled(CORRECT, every=3))
def test_correct_kernels_give_what_the_oracle_gives(entry: Plant):
    expected, actual = entry.arguments(), entry.arguments()
    shared = {"dynamic_shared_bytes": entry.dynamic_shared_bytes}
    oracle.run(entry.kernel, entry.grid, entry.block, *expected, **shared)
    simulate(entry.kernel, entry.grid, entry.block, *actual, **shared)
    for a, b in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("entry", RUNNABLE)
def test_variables_have_the_types_that_numba_infers(entry: Plant):
    expected = oracle.variable_types(entry.kernel, *entry.arguments())
    actual = variable_types(entry.kernel, *entry.arguments())
    assert {name: actual.get(name) for name in expected} == expected


@pytest.fixture(scope="module")
def simulated(folder: Path) -> dict[str, list[np.ndarray]]:
    return simulator.results(folder)


@pytest.mark.parametrize("name", simulator.corpus())
def test_the_machine_gives_what_numbas_simulator_gives(
    name: str, simulated: dict[str, list[np.ndarray]]
):
    entry = PLANTS[name]
    actual = entry.arguments()
    simulate(
        entry.kernel,
        entry.grid,
        entry.block,
        *actual,
        dynamic_shared_bytes=entry.dynamic_shared_bytes,
    )
    for a, b in zip(actual, simulated[name], strict=True):
        np.testing.assert_array_equal(a, b)
