"""Proxies of the device and the device, without a judge between: as one process would have it."""

from __future__ import annotations

import gc
from collections import namedtuple

import numpy as np
import pytest

from gpuedu.arrays import cupy as local
from gpuedu.arrays.account import count_operations
from gpuedu.arrays.memory import watch_memory
from gpuedu.backend import reset_transfers, transfers
from gpuedu.grading.player.device import server
from gpuedu.grading.player.device.link import Link
from gpuedu.grading.player.device.modules import RemoteModule
from gpuedu.grading.player.device.proxies import proxy_classes
from gpuedu.grading.wire import pack, unpack
from tests.sampled import sampled


class Line:
    """A channel whose other end answers at once, or after a function was called back."""

    def __init__(self) -> None:
        self.device = server.DeviceServer(self._call_back)
        self.link, self._answers = Link(self), []

    def send(self, message):
        asked = unpack(pack(message))["device"]
        if asked["op"] in ("returned", "raised"):
            self._answers.append(asked)
        else:
            self._answers.append({"answer": unpack(pack(self.device.answer(asked)))})

    def receive(self):
        return self._answers.pop()

    def _call_back(self, message):
        if "callback" in message["answer"]:
            told = self.link._call_back(message["answer"])
            return {"device": {**told, "freed": self.link.freed()}}
        return self.receive()


@pytest.fixture
def line():
    made = Line()
    made.link.classes = proxy_classes(made.link)
    made.link.library = RemoteModule(made.link, "")
    return made


@pytest.fixture
def cp(line):
    return line.link.library


def chain(cp, x):
    y = cp.exp(-(x**2)).sum(axis=0)
    y += np.mean(x)
    y[1:] = 2
    return cp.where(y > 1, y, 0)[None].T


def masked(cp, x):
    return x[x > 0].max() + float(x.min())


def stacked(cp, x):
    return cp.stack([row / row.max() for row in x]) @ cp.ones((x.shape[1], 2), x.dtype)


def reshaped(cp, x):
    y = x.copy()
    y.shape = (-1,)
    return cp.sort(y)[::-1].reshape(2, -1)


def solved(cp, x):
    values, vectors = cp.linalg.eigh(x @ x.T)
    return (vectors * values).astype(cp.float32)


def by_a_kernel(cp, x):
    kernel = cp.ElementwiseKernel("T x, float32 k", "T y", "y = k * x", "scale")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    return total(kernel(x, 3), axis=1)


def drawn(cp, x):
    return cp.random.RandomState(3).normal(size=4) + cp.concatenate([x[0], x[1]])[:4]


def fused(cp, x):
    @cp.fuse
    def gelu(x):
        return 0.5 * x * (1 + cp.tanh(x))

    return gelu(x)


def along(cp, x):
    return cp.apply_along_axis(lambda row: row / row.sum(), 1, x)


FUNCTIONS = (
    *(chain, masked, stacked, reshaped, solved),
    *(by_a_kernel, drawn, fused, along),
)


def account_of(function, cp, x):
    """Result, launches, copies and peak memory of a call."""
    given = cp.asarray(x)
    gc.collect()  # what earlier tests left on the device is freed now, and not while it is watched
    reset_transfers()
    with count_operations() as count, watch_memory() as peak:
        result = function(cp, given)
    result = result.get()
    return result, count.operations, transfers(), peak.extra_bytes


@pytest.mark.parametrize("function", sampled(FUNCTIONS, every=3))
def test_values_and_account_are_those_of_one_process(function, cp):
    x = np.random.default_rng(1).normal(0, 1, (2, 300)).astype(np.float32)
    here, there = account_of(function, local, x), account_of(function, cp, x)
    assert here[0].dtype == there[0].dtype
    assert np.array_equal(here[0], there[0])
    assert here[1:] == there[1:]


def host_operand(cp, x):
    return np.ones(2) + x


REFUSED = {
    "host operand": host_operand,
    "list": lambda cp, x: cp.exp([1.0]),
    "no NumPy array": lambda cp, x: np.asarray(x),
    "name of neither": lambda cp, x: cp.nothing,
    "name of CuPy's": lambda cp, x: cp.vectorize,
    "method of neither": lambda cp, x: x.nothing(),
    "shape": lambda cp, x: x.reshape(7),
    "axis": lambda cp, x: x.sum(axis=9),
    "index": lambda cp, x: x[99],
    "truth": lambda cp, x: bool(x),
    "length": lambda cp, x: len(x.sum()),
    "dictionary": lambda cp, x: cp.asarray({}),
    "object": lambda cp, x: cp.exp(object()),
    "branch in a fused function": lambda cp, x: cp.fuse(kernel_name="k")(lambda v: v if v else 1)(
        x
    ),
    "fault in a fused function": lambda cp, x: cp.fuse(kernel_name="k")(lambda v: 1 // 0)(x),
    "lambda in fuse": lambda cp, x: cp.fuse(lambda v: v + 1)(x),
    "out on the host": lambda cp, x: x.get(out=np.zeros(1)),
    "kernel": lambda cp, x: cp.ElementwiseKernel("T x", "T y", "y = q", "k")(x),
    "parameters": lambda cp, x: cp.ElementwiseKernel("T", "T y", "y = 1", "k"),
    "singular": lambda cp, x: cp.linalg.inv(cp.zeros((2, 2))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_those_of_one_process(name, cp):
    told = []
    for library in (local, cp):
        with pytest.raises(Exception) as caught:
            REFUSED[name](library, library.arange(4.0))
        told.append((caught.type.__name__, str(caught.value), caught.type.__mro__[-3]))
    assert told[0] == told[1]


def test_one_array_is_one_proxy_and_is_freed_with_it(cp, line):
    x = cp.zeros(1000)
    assert cp.asarray(x) is x
    assert x.T.base is x
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    del x
    assert pool.used_bytes() == before - 8192
    held = len(line.device._held)
    assert held <= 2, "the pool, and what NumPy's protocol left"


def test_a_host_array_is_written_where_it_is(cp):
    out = np.zeros(3)
    assert cp.arange(3.0).get(out=out) is out
    assert cp.asnumpy(cp.ones(3), out=out) is out
    assert out.tolist() == [1, 1, 1]


def test_no_more_is_held_than_may_be(cp, monkeypatch):
    monkeypatch.setattr(server, "MOST_HELD", 5)
    with pytest.raises(Exception, match="more than 5 arrays"):
        [cp.zeros(1) for _ in range(9)].clear()
    assert cp.zeros(1).tolist() == [0]


def test_memory_of_the_device_is_not_read_as_objects_nor_beside_it(cp):
    x = cp.asarray([id(object)])
    with pytest.raises(ValueError, match="Unsupported dtype object"):
        cp.ndarray(1, "O", x.data)
    with pytest.raises(ValueError, match="bytes"):
        cp.ndarray(64, "u1", cp.zeros(0).data).tobytes()
    forged = namedtuple("Memory", ["buffer", "size"])
    with pytest.raises(TypeError, match="not device memory"):
        cp.cuda.MemoryPointer(forged(b"", 64), 0)
