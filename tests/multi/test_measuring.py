"""Times of real messages: what is measured, and what is refused."""

from __future__ import annotations

import pytest

from gpuedu.errors import AnswerError
from gpuedu.multi.measuring import _medians, measure_all_reduces, measure_messages


def test_times_come_for_each_size():
    sizes = [1024, 4096, 1 << 22]
    for times in (
        measure_messages(sizes, repeats=6),
        measure_all_reduces(sizes, ranks=2, repeats=6),
    ):
        assert [one.size_bytes for one in times] == sizes
        assert all(0 < one.low_s <= one.time_s <= one.high_s for one in times)


def test_the_slowest_rank_counts():
    (one,) = _medians([4], [[[1.0, 2.0, 9.0]], [[3.0, 1.0, 1.0]]])
    assert one.time_s == 3.0


@pytest.mark.parametrize(("sizes", "repeats"), [([0], 9), ([6], 9), ([8], 4)])
def test_what_cannot_be_measured_is_refused(sizes, repeats):
    with pytest.raises(AnswerError, match=r"multiple of 4|at least 5 repeats"):
        measure_messages(sizes, repeats=repeats)
