from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.account import Operation, count_operations, operations, reset_operations


@pytest.fixture
def x():
    return cp.asarray(np.linspace(-1, 1, 256, dtype=np.float32).reshape(16, 16))


KB = 1024


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: x + 1, [("add", KB, KB)]),
        (lambda x: x + x[0], [("add", KB + 64, KB)]),
        (lambda x: x * x, [("multiply", KB, KB)]),
        (lambda x: x.astype(np.float64), [("astype", KB, 2 * KB)]),
        (lambda x: x.sum(axis=0), [("sum", KB, 64)]),
        (lambda x: x @ x.T, [("matmul", 2 * KB, KB)]),
        (lambda x: cp.where(x > 0, x, 0), [("greater", KB, 256), ("where", KB + 256, KB)]),
        (lambda x: x.copy(), [("copy", KB, KB)]),
        (lambda x: x.T.reshape(-1), [("reshape", KB, KB)]),
        (lambda x: cp.broadcast_to(x[0], (9, 16)) + 0.5, [("add", 64, 576)]),
        (lambda x: x.__iadd__(1), [("add", KB, KB)]),
        (lambda x: x.fill(0), [("fill", 0, KB)]),
        (lambda x: x.__setitem__(0, x[1]), [("setitem", 64, 64)]),
        (lambda x: cp.zeros(4), [("zeros", 0, 32)]),
        (lambda x: cp.copyto(x, x[0]), [("copyto", 64, KB)]),
        (
            lambda x: cp.putmask(x, x > 0, x[::-1]),
            [("greater", KB, 256), ("putmask", KB + 256, KB)],
        ),
        (lambda x: x.put(cp.arange(5), 1), [("arange", 0, 40), ("put", 40, 20)]),
        (lambda x: cp.fill_diagonal(x, 1), [("fill_diagonal", 0, 64)]),
        (lambda x: cp.sqrt(x * x + 1) / 2, ["multiply", "add", "sqrt", "divide"]),
        (lambda x: (x.T, x[::2, None], x.ravel(), x.shape, cp.split(x, 4), cp.empty(3)), []),
    ],
)
def test_operations_are_entered_with_their_bytes(x, call, expected):
    reset_operations()
    call(x)
    if expected and isinstance(expected[0], str):
        assert [operation.name for operation in operations()] == expected
    else:
        assert list(operations()) == [Operation(*line) for line in expected]


def test_counts_may_be_nested(x):
    with count_operations() as outer:
        _ = x + 1
        with count_operations() as inner:
            _ = x + 2
    _ = x + 3
    assert (outer.launches, inner.launches) == (2, 1)
    assert (outer.read_bytes, outer.written_bytes, outer.moved_bytes) == (2 * KB, 2 * KB, 4 * KB)
    assert str(inner) == "1 launches, 2,048 bytes"


def test_a_copy_between_host_and_device_is_no_operation(x):
    reset_operations()
    cp.asarray(x.get())
    assert not operations()
