"""The comparison of CuPy with its stand-in, without a GPU: the stand-in takes CuPy's place."""

from __future__ import annotations

import subprocess
import sys
import time
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

from gpuedu.arrays import cupy as stand_in
from gpuedu.backend import has_gpu
from tests.arrays.cases import CUPY_CALLS, DTYPES, calls, run
from tests.gpu_checks import arrays
from tests.sampled import WHOLE


def test_a_module_is_like_itself():
    dtypes = DTYPES if WHOLE else ("float32", "int8")
    found = list(arrays.check_calls(stand_in, time.monotonic() + 3600, dtypes))
    assert [str(line) for line in found] == [f"{found[-1]}"] and "calls were run" in found[-1]
    assert not list(arrays.check_pool(stand_in))


def test_time_ends_it():
    (told,) = arrays.check_calls(stand_in, time.monotonic() - 1)
    assert told == "out of time after 0 calls, in float32"


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (stand_in.ones(3), stand_in.ones(3, np.float32)),
        (stand_in.ones(3), stand_in.ones((3, 1))),
        (stand_in.ones(3), stand_in.ones(3) + 1e-3),
        (stand_in.ones((2, 3)), stand_in.ones((3, 2)).T),
        (stand_in.ones(3), [stand_in.ones(3), 1]),
        (stand_in.ones(3), ValueError("no")),
        (1, 2),
        (1, 1.0),
    ],
)
def test_differences_are_found(theirs, ours):
    found = arrays.compare("call", "float32", theirs, ours, stand_in)
    assert found is not None and not found.known and "CuPy" in str(found)
    assert arrays.compare("call", "float32", ours, ours, stand_in) is None


def test_known_differences_say_why():
    found = arrays.compare("xp.sum(h)", "int8", 3, TypeError("no"), stand_in)
    assert "refused here" in str(found)
    named = {*arrays.KNOWN, *arrays.LAYOUTS, *(n for d in arrays.KNOWN_IN.values() for n in d)}
    assert named <= {*calls(), *CUPY_CALLS.splitlines()}
    assert set(arrays.KNOWN_IN) <= set(DTYPES)


def test_what_both_refuse_is_known():
    found = arrays.compare("call", "int8", TypeError("no"), ValueError("no"), stand_in)
    assert "both refuse it" in found.known
    assert not arrays.compare("call", "int8", 3, ValueError("no"), stand_in).known


def test_a_call_that_is_laid_out_otherwise_must_have_the_same_values():
    rows, columns = stand_in.ones((2, 3)), stand_in.ones((3, 2)).T
    call = "xp.linalg.solve(m, a.T)"
    assert arrays.compare(call, "int8", rows, columns, stand_in) is None
    assert not arrays.compare(call, "int8", rows, 2 * columns, stand_in).known


def test_a_pool_that_books_otherwise_is_found():
    other = types.ModuleType("other")
    other.__dict__.update({name: getattr(stand_in, name) for name in ("empty", "int8")})

    class Pool(stand_in.cuda.MemoryPool):
        def used_bytes(self):
            return super().used_bytes() + 1

    cuda = types.SimpleNamespace(MemoryPool=Pool, using_allocator=stand_in.cuda.using_allocator)
    other.cuda = cuda
    found = list(arrays.check_pool(other))
    assert found[0].call == "pool: take a"


@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
def test_without_a_gpu_nothing_is_run(capsys):
    assert arrays.main([]) == arrays.NO_GPU
    assert "nothing was run" in capsys.readouterr().out


@pytest.mark.parametrize("call", CUPY_CALLS.strip().splitlines())
def test_each_of_cupys_own_calls_gives_an_answer_or_a_clear_error(call):
    for dtype in DTYPES:
        with warnings.catch_warnings(action="ignore", category=np.exceptions.ComplexWarning):
            found = run(call, stand_in, arrays.on_device(stand_in, dtype))
        clear = (TypeError, ValueError, IndexError, NotImplementedError, AttributeError)
        other = (OverflowError, RuntimeError, np.linalg.LinAlgError)
        assert not isinstance(found, Exception) or isinstance(found, (*clear, *other)), found


def test_numpy_and_cupy_are_all_that_a_bare_machine_needs():
    code = """
import sys
class Bare:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in {"numpy", "cupy", "gpuedu", "tests"}:
            raise ImportError("not on a bare machine: " + name)
sys.meta_path.insert(0, Bare())
import subprocess
import sys
import time
from gpuedu.arrays import cupy
from tests.gpu_checks import arrays
next(arrays.check_calls(cupy, time.monotonic() - 1))
list(arrays.check_pool(cupy))
assert not {"psutil", "pytest", "numba", "torch"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
