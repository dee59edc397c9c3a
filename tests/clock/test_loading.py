"""The data loader's workers: throughput by the slowest stage, and the order of batches."""

from __future__ import annotations

import pytest

from gpuedu.clock import Loading, simulate_loading


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 8])
@pytest.mark.parametrize(
    ("read_s", "decode_s", "copy_s", "step_s", "channels", "cores"),
    [
        (2e-3, 10e-3, 0.0, 4e-3, 1, None),
        (2e-3, 10e-3, 1e-3, 2e-3, 1, 4),
        (6e-3, 1e-3, 0.5e-3, 2e-3, 1, None),
        (6e-3, 1e-3, 0.5e-3, 2e-3, 2, 2),
    ],
)
def test_the_slowest_stage_sets_the_rate(
    workers, read_s, decode_s, copy_s, step_s, channels, cores
):
    loading = Loading(read_s, decode_s, step_s, copy_s, channels, cores)
    run = simulate_loading(loading, workers, batches=240)
    slowest_s = max(
        copy_s + step_s,
        (read_s + decode_s) / workers,
        read_s / channels,
        decode_s / (cores or workers),
    )
    assert run.batches_per_s == pytest.approx(1 / slowest_s, rel=0.02)


def test_without_workers_everything_is_in_one_line():
    run = simulate_loading(Loading(1e-3, 2e-3, 4e-3, 0.5e-3), 0, batches=4)
    assert run.done_s == pytest.approx([7.5e-3, 15e-3, 22.5e-3, 30e-3])
    assert run.timeline.lanes == ("main", "compute")
    assert run.waited_s == 0.0


def test_batches_come_in_order_also_where_one_is_slow():
    loading = Loading(read_s=0.0, decode_s=[9.0, 1.0, 1.0], step_s=0.0)
    run = simulate_loading(loading, 3, batches=6, prefetch=1)
    assert run.taken_s == (9.0, 9.0, 9.0, 18.0, 18.0, 18.0)


def test_prefetch_bounds_how_far_the_workers_run_ahead():
    loading = Loading(read_s=0.0, decode_s=1.0, step_s=100.0)
    for prefetch in (1, 2, 3):
        run = simulate_loading(loading, 2, batches=12, prefetch=prefetch)
        before = [one for one in run.timeline.intervals if one.kind == "work" and one.end_s < 100]
        # What was ordered at first, and one more as soon as the first was taken.
        assert len(before) == 2 * prefetch + 1


def test_waiting_is_what_the_slow_workers_leave():
    run = simulate_loading(Loading(0.0, 10e-3, 4e-3), 1, batches=5)
    assert run.waited_s == pytest.approx(10e-3 + 4 * 6e-3)
    assert run.timeline.busy_s("compute") == 20e-3


@pytest.mark.parametrize("bad", [{"batches": 1}, {"workers": -1}, {"prefetch": 0}])
def test_bad_numbers_are_refused(bad):
    with pytest.raises(ValueError, match="at least"):
        simulate_loading(Loading(1.0, 1.0, 1.0), **{"workers": 1, **bad})
