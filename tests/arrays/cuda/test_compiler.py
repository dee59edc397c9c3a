from __future__ import annotations

import pytest

from gpuedu.arrays import cupy as cp


def test_a_source_that_does_not_compile_raises_cupys_name():
    kernel = cp.RawKernel('extern "C" __global__ void k(float* x) { x[0] = 1 }', "k")
    with pytest.raises(cp.cuda.compiler.CompileException, match='expected a ";"'):
        kernel((1,), (1,), (cp.zeros(1, cp.float32),))
    with pytest.raises(AttributeError):
        _ = cp.cuda.compiler.no_such_name
