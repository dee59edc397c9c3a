from __future__ import annotations

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

from gpuedu.simt.host import cuda
from gpuedu.simt.host.errors import KernelHazardError, KernelHazardWarning
from gpuedu.trace import Events, Finding, Launch, Level, Place, Source, Steps, Trace

NOTHING = np.zeros(0, np.int64)
CLEAN = Trace(
    Launch("k", (1, 1, 1), (1, 1, 1), (Source("k", "f.py", 1, "def k():\n    a = s[2]\n    s[3] = a\n"),)),
    (), (), (), (), (), (),
    Events(*[NOTHING] * 6), Steps(*[NOTHING] * 6),
)  # fmt: skip


def finding(kind, line, level=Level.HAZARD):
    return Finding(level, kind, f"{kind} on `s[3]`", "put a barrier between", Place("k", line))


@cuda.jit
def k(x):
    x[0] = 1


def test_a_clean_trace_is_silent_and_kept(machine):
    machine.trace = replace(CLEAN, findings=(finding("slow", 3, Level.COST),))
    k[1, 1](1)
    assert k.last_trace is machine.trace


@pytest.mark.parametrize(
    "kind", ["out-of-bounds", "divergent-barrier", "runaway-loop", "spin-in-warp"]
)
def test_what_a_gpu_would_stop_raises(machine, kind):
    machine.trace = replace(CLEAN, findings=(finding("data-race", 2), finding(kind, 3)))
    host = np.zeros(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(
            KernelHazardError,
            match=rf"(?s)line 3 of `k`: {kind} on .*    s\[3\] = a\n.*Try: put a barrier",
        ) as fault:
            k[1, 1](host)
    assert fault.value.finding.place.line == 3 and fault.value.trace is machine.trace
    assert k.last_trace is machine.trace
    assert str(pickle.loads(pickle.dumps(fault.value))) == str(fault.value)


def test_an_unknown_hazard_that_stopped_the_kernel_raises(machine):
    machine.trace = replace(CLEAN, findings=(finding("strange", 9),), complete=False)
    with pytest.raises(KernelHazardError, match="strange"):
        k[1, 1](1)


def test_races_are_told_once(machine):
    findings = (
        finding("data-race", 2),
        finding("uninitialised-read", 5),
        finding("slow", 7, Level.COST),
    )
    machine.trace = replace(CLEAN, findings=findings)
    with pytest.warns(KernelHazardWarning) as told:
        k[1, 1](1)
    assert len(told) == 1 and told[0].filename == __file__
    text = str(told[0].message)
    assert (
        "line 2 of `k`: data-race" in text and "a = s[2]" in text and "Try: put a barrier" in text
    )
    assert "uninitialised-read in line 5" in text and "slow" not in text
    with pytest.warns(KernelHazardWarning) as told:
        k.forall(4)(1)
    assert told[0].filename == __file__
