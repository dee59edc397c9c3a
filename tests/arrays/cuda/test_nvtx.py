from __future__ import annotations

import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.errors import NotInStandInError


def test_ranges_may_be_named_around_work():
    cp.cuda.nvtx.RangePush("sum", 1)
    total = float(cp.ones(3).sum())
    assert (cp.cuda.nvtx.RangePop(), cp.cuda.nvtx.Mark("done"), total) == (None, None, 3.0)
    assert cp.cuda.nvtx.available is False
    with pytest.raises(TypeError, match="not text"):
        cp.cuda.nvtx.RangePush(3)
    with pytest.raises(NotInStandInError, match="RangeStart"):
        _ = cp.cuda.nvtx.RangeStart
