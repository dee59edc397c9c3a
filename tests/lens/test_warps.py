import numpy as np
import pytest

from gpuedu.errors import UnknownNameError
from gpuedu.lens import by_warp, lens
from gpuedu.lens.warps import block_index
from gpuedu.trace import Place
from tests.trace import samples
from tests.trace.building import Builder


def test_warps_add_up_to_the_launch():
    trace = samples.block_sum(blocks=3)
    totals, warps = lens(trace).totals, by_warp(trace)
    for measure in ("executions", "lanes", "requests", "sectors", "wavefronts", "conflicts"):
        assert getattr(warps, measure).sum() == getattr(totals, measure)


def test_the_worst_warp_by_block_and_place():
    made = Builder("def kernel(a):\n    a[i]", grid=(3, 2, 1), block=(64, 1, 1))
    stride = np.ones((12, 1), int)
    stride[9] = 8  # block 4 is (1, 1), its second warp
    made.step(2)
    made.access(2, "a[i]", np.arange(32) * stride, shape=(256,))
    worst = by_warp(made.build()).worst("sectors")
    assert (worst.block, worst.warp, worst.value) == ((1, 1, 0), 1, 32)
    assert by_warp(made.build()).worst("excess_sectors").value == 28


def test_one_line_only():
    trace = samples.block_sum(blocks=1)
    warps = by_warp(trace, Place("block_sum", 10))
    assert warps.executions.tolist() == [6, 0] and warps.lanes.tolist() == [63, 0]


def test_block_indices_run_fastest_along_x():
    trace = Builder("def kernel():\n    0", grid=(2, 3, 4)).build()
    found = [block_index(trace, block) for block in range(24)]
    assert found[:3] == [(0, 0, 0), (1, 0, 0), (0, 1, 0)] and found[-1] == (1, 2, 3)
    assert len(set(found)) == 24


def test_an_unknown_measure_is_told():
    with pytest.raises(UnknownNameError, match="no measure is called 'time'"):
        by_warp(samples.strided()).worst("time")
