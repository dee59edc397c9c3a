from __future__ import annotations

import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.cupyx.profiler import benchmark, profile, time_range


def test_a_benchmark_tells_of_this_computer_only():
    calls = []
    result = benchmark(
        lambda x, y=0: calls.append(x), (cp.ones(2),), {"y": 1}, 5, n_warmup=2, name="f"
    )
    assert len(calls) == 7 and result.cpu_times.shape == (5,) and (result.cpu_times >= 0).all()
    assert "this computer's CPU" in str(result) and repr(result).startswith("f ")
    with pytest.raises(NotImplementedError, match="no GPU here"):
        _ = result.gpu_times


def test_a_benchmark_may_be_short():
    assert len(benchmark(lambda: None, n_repeat=10**6, max_duration=0.01).cpu_times) < 10**6
    with pytest.raises(ValueError, match="callable"):
        benchmark(3)


def test_ranges_do_nothing():
    with time_range("part"), profile():
        pass
