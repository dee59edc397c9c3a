"""Counts worked out by hand, from hand-written accesses to the report."""

import dataclasses

import numpy as np
import pytest

from gpuedu.errors import UnknownNameError
from gpuedu.lens import lens
from gpuedu.trace import Source, Space
from tests.trace import samples
from tests.trace.building import Builder

LANE = np.arange(32)[None, :]


def one_warp(element, *, dtype="float32", space="global", operation="load", size=4096):
    made = Builder("def kernel(a):\n    a[0]", kernel="kernel")
    made.step(2)
    made.access(2, "a[i]", element, dtype=dtype, space=space, operation=operation, shape=(size,))
    return lens(made.build())


@pytest.mark.parametrize(("stride", "sectors"), [(1, 4), (2, 8), (4, 16), (8, 32), (32, 32)])
def test_sectors_of_strides(stride, sectors):
    report = one_warp(LANE * stride)
    assert report.totals.sectors == sectors
    assert report.totals.sectors_ratio == sectors / 4
    assert report.efficiency == 4 / sectors


def test_sectors_of_an_offset_a_broadcast_and_wide_elements():
    assert one_warp(LANE + 1).totals.sectors == 5
    assert one_warp(LANE * 0).totals.sectors == 1
    assert one_warp(LANE, dtype="float64").totals.sectors == 8
    assert one_warp(LANE, dtype="complex128").totals.sectors == 16
    assert one_warp(LANE, dtype="int8").totals.sectors == 1


def test_a_broadcast_does_not_make_up_for_a_stride():
    made = Builder("def kernel(a):\n    a[0]", kernel="kernel")
    made.step(2)
    made.access(2, "a[8 * i]", LANE * 8, shape=(256,))
    for _ in range(10):
        made.access(2, "b[0]", LANE * 0, shape=(1,))
    report = lens(made.build())
    assert (report.totals.sectors, report.totals.ideal_sectors) == (42, 44)
    assert report.totals.excess_sectors == 28
    assert report.totals.sectors_ratio == pytest.approx(72 / 44)
    assert report.array("a").sectors_ratio == 8 and report.array("b").sectors_ratio == 1


@pytest.mark.parametrize(
    ("stride", "dtype", "wavefronts", "ideal"),
    [
        (1, "float32", 1, 1),
        (2, "float32", 2, 1),
        (32, "float32", 32, 1),
        (33, "float32", 1, 1),
        (0, "float32", 1, 1),
        (1, "float64", 2, 2),
        (2, "float64", 4, 2),
        (1, "complex128", 4, 4),
    ],
)
def test_wavefronts(stride, dtype, wavefronts, ideal):
    totals = one_warp(LANE * stride, dtype=dtype, space="shared").totals
    assert (totals.wavefronts, totals.ideal_wavefronts) == (wavefronts, ideal)
    assert totals.conflicts == wavefronts - ideal


def test_the_two_traffics_and_the_two_intensities_are_kept_apart():
    report = lens(samples.strided(8))
    assert report.totals.sector_bytes == 72 * 32
    assert (report.read_bytes, report.written_bytes) == (64 * 32, 64 * 4)
    assert report.totals.global_bytes == 2 * 64 * 4
    assert report.intensity_l1 == 64 / (72 * 32)
    assert report.intensity_memory == 64 / (64 * 36)
    assert report.flop == {"float64": 64}


def test_without_traffic_there_is_no_intensity():
    report = lens(Builder("def kernel():\n    pass").build())
    assert report.intensity_l1 is None and report.intensity_memory is None
    assert report.efficiency == 1 and report.divergence == 0 and report.totals.mean_lanes == 0


def test_lines_carry_their_sites_branches_and_flop():
    report = lens(samples.block_sum(blocks=2))
    line = report.line(10)
    assert line.text == "part[t] = part[t] + part[t + s]"
    assert line.counts.executions == 2 * 6 and line.counts.lanes == 2 * 63
    assert [found.site.text for found in line.sites] == ["part[t]", "part[t + s]", "part[t]"]
    assert line.flop == {"float32": 126} and line.counts.flop == 126
    # Of both warps of both blocks, the first splits at s = 16, 8, 4, 2, 1.
    assert (report.line(9).divergent, report.line(9).branch_executions) == (2 * 5, 24)
    assert report.divergence == 12 / 28  # and once in each block at t == 0


def test_a_line_that_did_not_run_is_told_with_those_that_did():
    with pytest.raises(UnknownNameError, match="no line that ran is called '99'"):
        lens(samples.strided()).line(99)


def test_an_array_that_was_not_accessed_is_told():
    with pytest.raises(UnknownNameError, match="no array is called 'b'"):
        lens(samples.strided()).array("b")


def test_local_arrays_cost_no_requests():
    report = one_warp(LANE, space="local")
    assert report.totals.requests == 0 and report.sites[0].requests == 1


def test_sites_of_one_array_by_space():
    report = lens(samples.transpose())
    assert report.array("tile", Space.SHARED).wavefronts == 32 * 33
    assert report.array("tile", Space.GLOBAL).requests == 0


def test_averages_of_a_site():
    load_site, store = lens(samples.strided(8, n=48)).sites
    assert load_site.site.operation == "load" and store.site.operation == "store"
    assert (load_site.requests, load_site.lanes_per_request) == (2, 24)
    assert load_site.sectors_per_request == 24
    assert load_site.ideal_sectors_per_request == 3


def test_device_functions_come_after_the_kernel():
    trace = samples.strided()
    helper = Source("helper", "kernel.py", 1, "def helper(x):\n    return x")
    launch = dataclasses.replace(trace.launch, sources=(*trace.launch.sources, helper))
    line = dataclasses.replace(
        trace.lines[0], place=dataclasses.replace(trace.lines[0].place, function="helper", line=2)
    )
    report = lens(dataclasses.replace(trace, launch=launch, lines=(line, *trace.lines)))
    assert [found.place.function for found in report.lines] == ["strided"] * 3 + ["helper"]
    assert report.line(2, "helper").text == "return x"
