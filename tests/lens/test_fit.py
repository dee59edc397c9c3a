import dataclasses

import pytest

from gpuedu.errors import UnknownNameError
from gpuedu.lens import lens
from gpuedu.lens.fit import occupancy_by_device
from tests.trace import samples
from tests.trace.building import Builder


def launch_of(threads, shared_bytes=0, dynamic=0):
    trace = Builder(
        "def kernel():\n    0", block=(threads, 1, 1), shared_bytes=shared_bytes
    ).build()
    launch = dataclasses.replace(trace.launch, dynamic_shared_bytes=dynamic)
    return dataclasses.replace(trace, launch=launch)


def test_registers_shared_memory_and_device_decide():
    # 256 threads and 16 KiB: from the table of CUDA's own header.
    at = lambda registers: [  # noqa: E731
        fit.occupancy.blocks_per_sm
        for fit in occupancy_by_device(launch_of(256, 16384), registers, ("a100-80gb", "t4", "l4"))
    ]
    assert at(32) == [8, 4, 5]
    assert at(96) == [2, 2, 2]


def test_dynamic_shared_memory_counts_too():
    (static,) = occupancy_by_device(launch_of(256, 16384), 32, ("t4",))
    (both,) = occupancy_by_device(launch_of(256, 8192, 8192), 32, ("t4",))
    assert static == both


def test_a_device_that_refuses_says_why():
    (fit,) = occupancy_by_device(launch_of(1024), 128, ("t4",))
    assert fit.occupancy is None and "128 registers" in fit.refusal
    assert "refused" in str(fit)


def test_the_report_shows_it_in_words():
    trace = samples.transpose()
    report = lens(trace, occupancy=occupancy_by_device(trace, 40))
    assert str(report).count("warps on an SM") == 3
    assert "limited by" in report._repr_html_()


def test_a_device_without_cuda_is_told():
    with pytest.raises(UnknownNameError, match="no compute capability"):
        occupancy_by_device(launch_of(64), 32, ("mi300x",))
