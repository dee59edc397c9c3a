"""parallel-cpu: what is measured on the learner's machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.clock import time_launch
from gpuedu.errors import AnswerError
from gpuedu.units import NS

_FACTOR = np.float32(2.5)


def _saxpy_python(a: Any, x: Any, y: Any, out: Any) -> None:
    for i in range(len(x)):
        out[i] = a * x[i] + y[i]


def _saxpy_numpy(a: Any, x: Any, y: Any, out: Any) -> None:
    out[:] = a * x + y


def measure_saxpy(
    saxpy: Callable[..., Any], n: int = 4_000_000, python_n: int = 20_000
) -> dict[str, float]:
    """Time ``out = a * x + y`` in float32 four ways; the last one is the learner's.

    Args:
        saxpy: called as ``saxpy(a, x, y, out)``; it is compiled before the clock starts.
        n: elements, by default 16 MB an array, which no small machine's cache holds.
        python_n: elements for pure Python, where a time per element does not depend on n.

    Returns:
        ns per element as ``python_ns``, ``numpy_ns``, ``one_core_ns`` and ``all_cores_ns``, with
        ``cores``, the threads that numba starts, and ``n``.

    Raises:
        AnswerError: ``saxpy`` gives wrong elements, so that its time would say nothing.
    """
    import numba

    rng = np.random.default_rng(7)
    x, y = rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)
    out = np.zeros_like(x)
    lists = x[:python_n].tolist(), y[:python_n].tolist(), [0.0] * python_n
    one_core = numba.njit(_saxpy_python)
    _compile(one_core, x, y)
    _compile(saxpy, x, y)
    return {
        "python_ns": _ns_per_element(_saxpy_python, float(_FACTOR), *lists),
        "numpy_ns": _ns_per_element(_saxpy_numpy, _FACTOR, x, y, out),
        "one_core_ns": _ns_per_element(one_core, _FACTOR, x, y, out),
        "all_cores_ns": _ns_per_element(saxpy, _FACTOR, x, y, out),
        "cores": numba.get_num_threads(),
        "n": n,
    }


def _compile(saxpy: Callable[..., Any], x: np.ndarray, y: np.ndarray) -> None:
    """Call it once on a few elements, for numba's compiler, and look at what it wrote."""
    some = slice(0, min(1001, len(x)))
    out = np.zeros_like(x[some])
    saxpy(_FACTOR, x[some], y[some], out)
    wrong = np.flatnonzero(~np.isclose(out, _FACTOR * x[some] + y[some], rtol=1e-5))
    if wrong.size:
        at = int(wrong[0])
        raise AnswerError(
            f"element {at} is {out[at]:.6g} instead of {_FACTOR * x[at] + y[at]:.6g}, so a time "
            "would say nothing",
            remedy='make `check("parallel-cpu", saxpy)` pass first',
        )


def _ns_per_element(saxpy: Callable[..., Any], a: Any, x: Any, y: Any, out: Any) -> float:
    """The fastest of many short runs.

    Not the median: a run on all cores waits for the core that another program holds just then, for
    longer than the run itself takes, and on a busy machine that is more than half of them.
    """
    return min(time_launch(lambda: saxpy(a, x, y, out), most=100).times_s) / len(x) / NS


MEASURE = measure_saxpy
