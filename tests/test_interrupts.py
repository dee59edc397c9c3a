"""An interrupt of a bare call: a notebook shows the learner's line, and nothing of the course's."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
import pytest

from gpuedu import cp, cuda, multi, simulate
from tests.exercises.live_kernel import live_kernel, text_of


class Stops:
    """An argument that interrupts the call which looks at it."""

    @property
    def __cuda_array_interface__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)


@cuda.jit
def double(a):
    a[cuda.grid(1)] *= 2


def stops(pid):
    os.kill(pid, signal.SIGINT)
    time.sleep(60)


def told_of(call):
    """What a notebook shows; the interrupt is not kept, and with it nothing that its frames hold."""
    try:
        call()
    except KeyboardInterrupt as interrupt:
        (told,) = interrupt._render_traceback_()
        return told


@pytest.fixture(autouse=True)
def _default_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: double[128, 32](Stops()), "(lambda: double[128, 32](Stops()),"),
        (lambda: double.forall(4096)(Stops()), "(lambda: double.forall(4096)(Stops()),"),
        (lambda: simulate(double, 1, 32, Stops()), "(lambda: simulate(double, 1, 32, Stops()),"),
        (lambda: multi.run_light(stops, 2, os.getpid()), "(lambda: multi.run_light(stops, 2,"),
        (lambda: multi.launch(stops, 1, os.getpid()), "(lambda: multi.launch(stops, 1,"),
    ],
)
def test_the_learners_line_is_shown(call, line):
    told = told_of(call)
    assert told.startswith(f"Stopped on line {call.__code__.co_firstlineno}: `{line}")
    assert told.endswith(". Cells that were queued after this one have not run.")


def test_also_for_a_kernel_in_cuda_c(monkeypatch):
    kernel = cp.RawKernel('extern "C" __global__ void f(float* x) { x[0] = 1; }', "f")
    x = cp.zeros(32, np.float32)
    monkeypatch.setattr("gpuedu.simt.launch.keep_memory", lambda: stops(os.getpid()))
    told = told_of(lambda: kernel((1,), (32,), (x,)))
    assert "kernel((1,), (32,), (x,))" in told


def test_a_notebook_shows_nothing_else():
    with live_kernel() as kernel:
        kernel.run(
            "import warnings, gpuedu\nfrom gpuedu import cuda\n"
            "warnings.simplefilter('ignore')\n"
            "from tests.test_interrupts import Stops, double"
        )
        *_, error = kernel.run("stops = Stops()\ndouble[1, 32](stops)")
    assert error["content"]["ename"] == "KeyboardInterrupt"
    assert text_of(error) == (
        "Stopped on line 2: `double[1, 32](stops)`. "
        "Cells that were queued after this one have not run."
    )
