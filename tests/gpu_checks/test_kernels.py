"""The table of kernels on the machine: right by NumPy, and right for what a GPU would be given."""

import ast
import inspect
import textwrap
from dataclasses import replace

import numpy as np
import pytest

from gpuedu.compilers import CompilerMissingError, compiled_facts
from gpuedu.compilers.rebinding import for_numba
from gpuedu.trace import Operation, Space
from tests.gpu.case import worst_difference
from tests.gpu.faults import FAULTS, found_by_machine
from tests.gpu.kernels import CASES
from tests.gpu.machine import expected_of, run_on_machine, simulate

ALL = [pytest.param(case, id=case.name) for case in CASES]
STRAIGHT = [
    case
    for case in CASES
    if not any(
        isinstance(node, ast.For | ast.While)
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(case.kernel))))
    )
]
# A complex number, and a generator's state of two words, are one place in the source, two in PTX.
PAIRS = ("16 bytes a lane", "xoroshiro")
KERNELS = {case.kernel: case for case in STRAIGHT if case.name not in PAIRS}
PTX = {Operation.LOAD: "ld.global", Operation.STORE: "st.global"}


@pytest.mark.parametrize("case", ALL)
def test_the_machine_is_right_and_finds_nothing(case):
    run = run_on_machine(case)
    assert run.hazards == ()
    assert run.apart <= case.tolerance
    assert any(run.counts.values())


@pytest.mark.parametrize("case", ALL)
def test_the_oracle_asks_for_a_change(case):
    before = [value for value in case.arguments() if isinstance(value, np.ndarray)]
    after = expected_of(case)
    assert max(map(worst_difference, before, after)) > max(case.tolerance, 1e-3)


@pytest.mark.parametrize("case", ALL)
def test_kernels_bound_to_numba_run_on_the_machine_too(case):
    """On a GPU the kernels' ``cuda`` is Numba's: the machine must read that as it reads its own."""
    twin, _ = for_numba(case.kernel)
    assert twin.__globals__["cuda"].__name__ == "numba.cuda"
    run = run_on_machine(replace(case, kernel=twin))
    assert run.is_right
    assert run.counts == run_on_machine(case).counts


@pytest.mark.parametrize("case", KERNELS.values(), ids=[k.__name__ for k in KERNELS])
def test_a_prediction_stands_where_the_compiler_changes_the_accesses(case):
    """Kernels without a loop: as many loads and stores in the PTX as in the source, or a reason."""
    try:
        facts = compiled_facts(case.kernel, case.arguments())
    except CompilerMissingError as missing:
        pytest.skip(str(missing))
    trace = simulate(
        case.kernel,
        case.grid,
        case.block,
        *case.arguments(),
        dynamic_shared_bytes=case.dynamic_shared_bytes,
    )
    for operation, opcode in PTX.items():
        sites = sum(1 for s in trace.sites if (s.space, s.operation) == (Space.GLOBAL, operation))
        predicted = any(f"global {operation}" in p.counter for p in case.predictions)
        assert (facts.count(opcode) != sites) == predicted, (operation, facts.instructions)


def test_names_and_faults_are_told_apart():
    names = [case.name for case in CASES] + [fault.name for fault in FAULTS]
    assert len(set(names)) == len(names) >= 40


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_machine_finds_the_planted_fault(fault):
    kinds, lines = found_by_machine(fault)
    assert kinds == ({fault.kind} if fault.kind else set())
    source, first = inspect.getsourcelines(fault.kernel)
    assert all(first < line < first + len(source) for line in lines)
    assert bool(lines) == bool(kinds)


def test_worst_difference_sees_shape_type_and_parts():
    a = np.array([1.0, -4.0], np.float32)
    assert worst_difference(a, a.copy()) == 0
    assert worst_difference(a, a.astype(np.float64)) == float("inf")
    assert worst_difference(np.array([1, 2]), np.array([1, 3])) == float("inf")
    assert worst_difference(a, np.array([1.0, -5.0], np.float32)) == pytest.approx(0.2)
    assert worst_difference(np.array([1.0, np.nan]), np.array([1.0, 2.0])) == float("inf")
    assert worst_difference(np.array([1e-300]), np.array([0.0])) == float("inf")
    pairs = np.zeros(2, [("x", np.int32), ("y", np.float64)])
    other = pairs.copy()
    other["y"][1] = 4
    pairs["y"][1] = 5
    assert worst_difference(pairs, other) == 0.25
