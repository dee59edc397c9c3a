"""CUDA C in the checks against a GPU, without one: CuPy's stand-in takes its place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gpuedu import backend
from gpuedu.arrays import cupy as stand_in
from gpuedu.backend import has_gpu
from gpuedu.compilers import CompilerMissingError, compiled_facts
from gpuedu.trace import Operation, Space
from tests.gpu import cuda_c, device
from tests.gpu.child import _result
from tests.gpu.kernels import CASES
from tests.gpu.machine import apart, expected_of, run_on_machine, simulate
from tests.gpu.made import MADE
from tests.gpu.rows import Status, result_rows

C_CASES = [pytest.param(case, id=case.name) for case in cuda_c.c_cases()]
PTX = {Operation.LOAD: "ld", Operation.STORE: "st"}
pytestmark = pytest.mark.skipif(bool(cuda_c.why_no_cuda_c()), reason=cuda_c.why_no_cuda_c())


def test_every_twin_is_a_case():
    from tests.simt.cuda_c.twins import PAIRS

    names = [case.name for case in cuda_c.c_cases()]
    assert len(names) == len(PAIRS) and len(MADE) >= 12
    assert len({*names, *(one.name for one in (*CASES, *MADE))}) == len(names) + len(CASES) + len(
        MADE
    )


@pytest.mark.parametrize("case", C_CASES)
def test_the_machine_is_right_and_the_twin_asks_for_a_change(case):
    run = run_on_machine(case)
    assert run.is_right and any(run.counts.values())
    before = tuple(value for value in case.arguments() if isinstance(value, np.ndarray))
    assert apart(before, expected_of(case)) > case.tolerance


@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
@pytest.mark.parametrize("case", C_CASES)
def test_launches_go_through_cupys_raw_kernel(case, monkeypatch):
    launched = []

    class Noted(stand_in.RawKernel):
        def __call__(self, grid, block, args, **kwargs):
            launched.append((self.name, grid, block, len(args), kwargs))
            super().__call__(grid, block, args, **kwargs)

    monkeypatch.setattr(stand_in, "RawKernel", Noted)
    found = device.run_on_gpu(case)
    ((name, grid, block, count, kwargs),) = launched
    assert name == case.kernel.name and isinstance(grid, tuple) and isinstance(block, tuple)
    assert count == len(case.arguments())
    assert kwargs == {"shared_mem": case.dynamic_shared_bytes}
    assert apart(found, run_on_machine(case).arrays) == 0


@pytest.mark.parametrize("case", C_CASES)
def test_counters_are_compared_where_the_compiler_keeps_the_accesses(case):
    """As many loads and stores in the PTX as in the source, or the case is not counted."""
    kernel = stand_in.RawKernel(case.kernel.code, case.kernel.name)
    try:
        facts = compiled_facts(kernel)
    except CompilerMissingError as missing:
        pytest.skip(str(missing))
    shared = case.dynamic_shared_bytes
    trace = simulate(
        case.kernel, case.grid, case.block, *case.arguments(), dynamic_shared_bytes=shared
    )
    kept = all(
        facts.count(f"{opcode}.{space}")
        == sum(1 for s in trace.sites if (s.space, s.operation) == (space, operation))
        for space in (Space.GLOBAL, Space.SHARED)
        for operation, opcode in PTX.items()
    )
    assert case.counted == kept


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.name)
def test_what_is_made_around_expressions_is_numpys(made):
    found, expected = made.on(stand_in), made.expected()
    assert [a.dtype for a in found] == [a.dtype for a in expected]
    assert apart(found, expected) <= made.tolerance
    assert any(one.any() for one in found)


def test_errors_and_differences_are_rows_like_the_others():
    wrong = replace(MADE[0], oracle=lambda x, y: x + y)
    broken = replace(
        MADE[1], run=lambda cp, x, y: cp.ElementwiseKernel("T x", "T y", "y = x")(x, y, y)
    )
    case = replace(cuda_c.c_cases()[0], oracle=lambda *arguments: None)
    entries = (wrong, broken, case, MADE[2])
    rows = result_rows(entries, [_result(entry) for entry in entries])
    assert [row.status for row in rows] == [Status.DIFFERS] * 3 + [Status.SAME]
    assert "Wrong number of arguments" in rows[1].reason and rows[0].from_machine == 0


@pytest.mark.parametrize("missing", [*cuda_c.READERS, "cupy"])
def test_what_is_missing_is_told(monkeypatch, missing):
    def without(name):
        if name == missing:
            raise ImportError(f"No module named {name!r}")

    class NoCuPy:
        def __getattr__(self, name):
            raise ImportError(f"No module named {missing!r}")

    if missing == "cupy":
        monkeypatch.setattr(backend, "cp", NoCuPy(), raising=False)
    monkeypatch.setattr(cuda_c.importlib, "import_module", without)
    reason = cuda_c.why_no_cuda_c.__wrapped__()
    assert "cannot be" in reason and f"No module named {missing!r}" in reason
