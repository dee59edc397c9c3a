"""The serialized atomics and bit functions against those of Numba's own CUDA simulator.

The simulator replaces ``numba.cuda`` for a whole process, so it runs in one of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from gpuedu.simt.intrinsics import atomics, bits

pytest.importorskip("numba.cuda.simulator")

SCRIPT = """
import sys
import numpy as np
from numba.cuda.simulator import kernelapi

atomic = kernelapi.FakeCUDAAtomic()
module = kernelapi.FakeCUDAModule((1, 1, 1), (1, 1, 1), 0)
given = np.load(sys.argv[1])
results = {}
for name in given["cases"]:
    op, dtype = name.split(":")
    memory = given[f"{dtype}/memory"].copy()
    operands = [given[f"{dtype}/first"], given[f"{dtype}/second"]][: 2 if op == "cas" else 1]
    call = getattr(atomic, op)
    with np.errstate(all="ignore"):
        old = [call(memory, at, *both) for at, *both in zip(given["index"], *operands)]
    results[f"{name}/old"], results[f"{name}/memory"] = np.array(old, dtype), memory
for name in ("popc", "clz", "ffs", "brev"):
    results[name] = np.array([getattr(module, name)(int(x)) for x in given["words"]], np.uint32)
np.savez(sys.argv[2], **results)
"""

OPERATIONS = [op for op in atomics.DTYPES if op != "compare_and_swap"]
CASES = [f"{op}:{dtype}" for op in OPERATIONS for dtype in sorted(atomics.DTYPES[op])]


def draw():
    rng = np.random.default_rng(21)
    given = {"cases": np.array(CASES), "index": rng.integers(0, 6, 200)}
    given["words"] = rng.integers(0, 2**32, 100, dtype=np.uint64) >> rng.integers(
        0, 32, 100
    ).astype("u8")
    for dtype in ("int32", "uint32", "int64", "uint64", "float32", "float64"):
        if dtype.startswith("float"):
            draws = [(rng.standard_normal(n) * 9).astype(dtype) for n in (6, 200, 200)]
        else:
            draws = [rng.integers(0, 6, n).astype(dtype) for n in (6, 200, 200)]
        for name, values in zip(("memory", "first", "second"), draws, strict=True):
            given[f"{dtype}/{name}"] = values
    return given


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("simulator")
    given = draw()
    np.savez(folder / "given.npz", **given)
    command = [sys.executable, "-c", SCRIPT, folder / "given.npz", folder / "results.npz"]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    subprocess.run(command, env=environment, check=True, timeout=120)
    with np.load(folder / "results.npz") as results:
        return given, dict(results)


@pytest.mark.parametrize("case", CASES)
def test_atomics(told, case):
    given, results = told
    op, dtype = case.split(":")
    memory = given[f"{dtype}/memory"].copy()
    operands = [given[f"{dtype}/first"], given[f"{dtype}/second"]][: 2 if op == "cas" else 1]
    old = atomics.apply(op, memory, given["index"], operands, want_old=True)
    np.testing.assert_array_equal(old, results[f"{case}/old"])
    np.testing.assert_array_equal(memory, results[f"{case}/memory"])


@pytest.mark.parametrize("name", ["popc", "clz", "ffs", "brev"])
def test_bit_functions(told, name):
    given, results = told
    result = bits.FUNCTIONS[name](given["words"].astype(np.uint32))
    np.testing.assert_array_equal(result, results[name])
