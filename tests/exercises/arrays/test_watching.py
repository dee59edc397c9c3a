"""What a call launched and copied, in order, and how much memory it had at a time."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.errors import AnswerError
from gpuedu.exercises.arrays.watching import (
    Copy,
    Launch,
    on_host,
    plain_copies,
    read_copies,
    watch,
)


def steps_of(watched) -> list[str]:
    names = {True: "to device", False: "to host"}
    return [
        one.name if isinstance(one, Launch) else ("hidden " * one.hidden + names[one.to_device])
        for one in watched.steps
    ]


def test_launches_and_copies_are_kept_in_order():
    def work(host):
        x = cp.asarray(host)
        y = x + 1
        largest = float(y.max())
        return (y * largest).get()

    watched = watch(work, np.arange(8, dtype=np.float32))
    order = ["to device", "add", "max", "hidden to host", "multiply", "to host"]
    assert steps_of(watched) == order
    assert [copy.size_bytes for copy in watched.copies] == [32, 4, 32]
    assert watched.moved_bytes == (32 + 32) + (32 + 4) + (32 + 32)
    assert watched.result.tolist() == [8 * (i + 1) for i in range(8)]


def test_each_call_is_counted_by_itself():
    x = cp.ones(4)
    assert watch(lambda: x.get()).copies == watch(lambda: x.get()).copies
    assert watch(lambda: None).steps == ()


def test_temporaries_count_for_the_peak_and_earlier_arrays_do_not():
    x = cp.ones(1024, np.float32)
    assert watch(lambda: (x + 1).sum() + 0 * x[0]).extra_bytes >= 4096
    assert watch(lambda: x[::2]).extra_bytes == 0


def test_copies_survive_the_way_to_the_judge():
    watched = watch(lambda: float(cp.ones(())))
    assert read_copies(plain_copies(watched)) == watched.copies
    (copy,) = watched.copies
    assert copy == Copy(False, 8, True, "float() of a device array")


def test_results_come_to_the_host_and_nothing_but_arrays():
    assert on_host(cp.arange(3), "f").tolist() == [0, 1, 2]
    with pytest.raises(AnswerError, match="`f` should return an array, got None"):
        on_host(None, "f")


def test_what_the_copies_carried_is_kept_where_they_were_asked_for():
    def work(host):
        x = cp.asarray(host)
        largest = float(x.max())
        return (x + largest).get()

    sent, hidden, back = watch(work, np.arange(3, dtype=np.float32)).contents
    assert sent.tolist() == [0, 1, 2] and back.tolist() == [2, 3, 4]
    assert hidden is None
