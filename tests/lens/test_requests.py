import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuedu.errors import UnknownNameError
from gpuedu.lens.requests import NothingWatchedError, find_requests, find_sites
from gpuedu.lens.rows import memory_rows, occupants_by_element, unravel, write_index
from gpuedu.lens.strides import Stride, lane_stride
from gpuedu.trace import Place
from tests.trace import samples
from tests.trace.building import ITEMSIZE, Builder, sectors_of


@pytest.mark.parametrize(
    "at",
    [5, "a[i * stride]", "a", "out[i] = a[i * stride] * 2.0", Place("strided", 5)],
)
def test_a_place_may_be_named_in_several_ways(at):
    assert "a[i * stride]" in [site.text for site in find_sites(samples.strided(), at)]


def test_a_site_finds_itself_and_nothing_else():
    trace = samples.strided()
    assert find_sites(trace, trace.sites[1]) == (trace.sites[1],)


def test_an_unknown_place_names_what_there_is():
    with pytest.raises(UnknownNameError, match=r"line 5: out\[i\]"):
        find_sites(samples.strided(), 99)


def test_requests_by_warp_block_and_epoch():
    trace = samples.block_sum(blocks=2)
    found = find_requests(trace, "part[t + s]", block=1, warp=0, epoch=2)
    assert [(r.block, r.warp, r.epoch, r.lanes) for r in found] == [(1, 0, 2, 16)]
    assert found[0].element[:16].tolist() == list(range(16, 32))
    steps = [r.step for r in find_requests(trace, 10)]
    assert steps == sorted(steps)


def test_a_request_that_was_not_kept_is_told():
    with pytest.raises(NothingWatchedError, match=r"watched blocks, \[0, 1\]"):
        find_requests(samples.block_sum(blocks=2), "part[t]", block=7)


def test_a_request_counts_itself_as_the_trace_does():
    trace = samples.strided(8)
    own = find_requests(trace, "a[i * stride]", warp=1)[0]
    assert (own.sectors, own.ideal_sectors) == (32, 4)
    assert own.cost == "32 sectors, 4 at best"
    assert (
        request(np.zeros(32, int), "float32").cost == "1 sector, 1 at best"
    )  # all lanes share one
    assert request(np.arange(32) // 2 * 8, "float32").cost == "16 sectors, 2 at best"
    tile = find_requests(samples.transpose(), "tile[x, y]", warp=0)[0]
    assert tile.cost == "32 wavefronts, 1 at best"


def request(element, dtype):
    made = Builder("def kernel():\n    a[t]")
    made.step(2)
    made.access(2, "a[t]", np.array([element]), dtype=dtype, shape=(256,))
    return find_requests(made.build(), "a[t]")[0]


@given(
    st.lists(st.integers(-1, 255), min_size=32, max_size=32).filter(lambda e: max(e) >= 0),
    st.sampled_from(sorted(ITEMSIZE)),
)
def test_rows_hold_every_element_and_as_many_sectors_as_counted(element, dtype):
    asked = request(element, dtype)
    rows = memory_rows([asked])
    touched = {e for e in element if e >= 0}
    assert sorted(e for row in rows for e in row.lanes) == sorted(touched)
    assert all(row.first <= e < row.first + row.cells for row in rows for e in row.lanes)
    assert sum(len(row.sectors) for row in rows) == len(sectors_of(touched, ITEMSIZE[dtype]))
    assert sum(len(row.sectors) for row in rows) == asked.sectors
    lanes = [who.lane for row in rows for whos in row.lanes.values() for who in whos]
    assert sorted(lanes) == [lane for lane, e in enumerate(element) if e >= 0]


def test_two_warps_share_a_cell():
    trace = samples.racing()
    found = occupants_by_element(find_requests(trace, "s"))
    assert [(who.warp, who.lane) for who in found[32]] == [(0, 31), (1, 0)]


def test_elements_as_indices():
    assert unravel(35, (4, 32)) == (1, 3)
    assert write_index("s", 64, (8, 8)) == "s[64]"  # beyond the end: no index of the shape
    assert write_index("s", 63, (8, 8)) == "s[7, 7]"
    assert write_index("v", 3, (7,)) == "v[3]"


@pytest.mark.parametrize(
    ("stride", "n", "found"), [(1, 64, Stride(1, 1.0)), (8, 64, Stride(8, 1.0)), (3, 1, None)]
)
def test_strides(stride, n, found):
    trace = samples.strided(stride, n=n)
    assert lane_stride(trace, trace.sites[0]) == found


def test_a_stride_is_for_each_lane_also_where_some_are_off():
    trace = samples.branches()
    assert lane_stride(trace, trace.sites[0]) == Stride(1, 1.0, is_gapped=True)


def test_a_row_that_wraps_keeps_its_stride():
    trace = samples.histogram(4)
    assert lane_stride(trace, trace.sites[1]) == Stride(1, 24 / 31)
