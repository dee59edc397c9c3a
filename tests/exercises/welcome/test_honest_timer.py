"""The trace of a simulated device: the watch around each launch, and what a card says of it."""

from __future__ import annotations

from statistics import median

from gpuedu.exercises.contract import Undecided
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from gpuedu.exercises.welcome.honest_timer.judge import late_times_s, watched_launches


def fault(report, name):
    (found,) = (r.fault for r in report.results if r.property.name == name)
    return found


def hand_in(timer):
    return examine(load("honest-timer"), [timer])


def test_a_watch_is_the_two_readings_around_a_launch():
    events = [
        ("kernel", 0.0, 5.0),
        ("now", 1.0, 1.0),
        ("launch", 1.0, 1.5),
        ("kernel", 5.0, 7.0),
        ("sync", 1.5, 7.0),
        ("now", 7.0, 7.0),
        ("launch", 7.0, 7.5),
        ("kernel", 7.5, 9.0),
    ]
    first, second = watched_launches(events)
    assert (first.time_s, first.busy_s, first.waited, first.kernel_s) == (6.0, 4.0, True, 2.0)
    assert second is None


def test_one_watch_around_all_repeats_says_nothing_of_an_idle_start():
    def batch(launch, sync, warmup, repeats, now):
        for _ in range(warmup):
            launch()
        sync()
        start = now()
        for _ in range(repeats):
            launch()
        sync()
        return (now() - start) / repeats

    report = hand_in(batch)
    assert isinstance(fault(report, "idle-start"), Undecided)
    assert "one watch" in fault(report, "median").message


def test_a_warm_up_behind_the_repeats_is_not_called_untimed():
    def warms_up_late(launch, sync, warmup, repeats, now):
        times = []
        for _ in range(repeats):
            sync()
            start = now()
            launch()
            sync()
            times.append(now() - start)
        for _ in range(warmup):
            launch()
        return median(times)

    assert "after the first 2" in fault(hand_in(warms_up_late), "median").message


def test_who_never_reads_the_clock_is_told_so_once():
    report = hand_in(lambda launch, sync, warmup, repeats, now: launch() or 1e-3)
    assert "never read the clock" in fault(report, "median").message
    assert isinstance(fault(report, "waits"), Undecided)
    assert report.points == 0


def test_a_trace_of_any_length_is_gone_through_once():
    """Twelve thousand readings took half a minute, which is a fault of the grader's."""

    class Kind(str):
        compared = 0
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            Kind.compared += 1
            return str.__eq__(self, other)

    launch, now = [(Kind("launch"), 0.0, 0.0), (Kind("kernel"), 0.0, 1.0)], (Kind("now"), 1.0, 1.0)
    for trace in ([*launch, *[now] * 900], [*launch, now] * 300):
        Kind.compared = 0
        watched_launches(trace)
        late_times_s(trace)
        assert 0 < Kind.compared < 10 * len(trace)
