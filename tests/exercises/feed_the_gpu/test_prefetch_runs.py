"""Prefetchers watched at work: what their runs tell, hanging and livelocked ones included."""

from __future__ import annotations

import queue
import threading
import time

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.feed_the_gpu.prefetch.prefetch_runs import (
    LIMIT_S,
    Wanted,
    watch,
    watch_for_real,
)
from tests.exercises.feed_the_gpu.loading_answers import fault, hand_in, lost, prefetch

COUNT = 12
TIMES = {"reads_s": (0.01,) * COUNT, "steps_s": (0.015,) * COUNT}


def hangs(source, depth):
    box = queue.Queue(depth)

    def work():
        for item in source:
            box.put(item)

    threading.Thread(target=work, name="reader", daemon=True).start()
    while True:
        yield box.get()


def polls_for_ever(source, depth):
    box = queue.Queue(depth)
    thread = threading.Thread(target=lambda: [box.put(item) for item in source], name="reader")
    thread.start()
    try:
        for _ in range(COUNT):
            yield box.get()
    finally:
        while thread.is_alive():
            time.sleep(0.001)


def raises_its_own(source, depth):
    yield next(source)
    raise KeyError("mine")


def compares(source, depth):
    for item in source:
        if item == "end":
            return
        yield item


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_right_one_overlaps_and_ends(seed):
    seen = watch(prefetch, Wanted(**TIMES, depth=2, seed=seed))
    assert seen.got == tuple(range(COUNT))
    assert (seen.stuck, seen.left, seen.ahead) == ("", (), 3)
    assert seen.end_s == pytest.approx(0.01 + COUNT * 0.015)


def test_a_fault_arrives_in_its_place():
    seen = watch(prefetch, Wanted(**TIMES, depth=2, fault_at=4))
    assert (seen.got, seen.raised) == ((0, 1, 2, 3), True)


def test_what_hangs_is_told_with_who_waits():
    seen = watch(hangs, Wanted(**TIMES, depth=2))
    assert seen.waiting == (("main", "an item of an empty queue"),)
    assert seen.stuck.startswith("nobody can go on")


def test_who_is_left_is_named():
    seen = watch(hangs, Wanted(**TIMES, depth=2, stop_after=2))
    assert seen.left == (("reader", "room in a queue (2 of 2 places taken)"),)


def test_looking_for_ever_is_ended_in_simulated_time():
    seen = watch(polls_for_ever, Wanted(**TIMES, depth=1, stop_after=1))
    assert f"after {LIMIT_S:g} simulated seconds" in seen.stuck
    assert "reader waits for room" in seen.stuck


def test_no_iterator_is_refused():
    with pytest.raises(AnswerError, match="should give an iterator, got None"):
        watch(lambda source, depth: None, Wanted(**TIMES, depth=1))


def test_the_learners_own_exception_comes_out():
    with pytest.raises(KeyError, match="mine"):
        watch(raises_its_own, Wanted(**TIMES, depth=1))


def test_the_same_code_runs_on_the_real_clock():
    seen = watch_for_real(prefetch, Wanted((0.001,) * 4, (0.001,) * 4, depth=2), 60.0)
    assert (seen.got, seen.left) == ((0, 1, 2, 3), ())


def joins_when_it_looks_empty(source, depth):
    box, stop, end = queue.Queue(depth), threading.Event(), object()

    def work():
        for item in source:
            if stop.is_set():
                break
            box.put(item)
        box.put(end)

    thread = threading.Thread(target=work, name="reader", daemon=True)
    thread.start()
    try:
        while (item := box.get()) is not end:
            yield item
    finally:
        stop.set()
        while not box.empty():
            box.get()
        thread.join()


def test_a_queue_that_looks_empty_is_told_on_every_seed():
    for seed in range(5):
        report = hand_in("prefetch", seed, prefetch=joins_when_it_looks_empty)
        assert "no-thread-left" in lost(report)
        assert "will not stay so" in fault(report, "no-thread-left")


def takes_exceptions_for_faults(source, depth):
    for item in source:
        if isinstance(item, Exception):
            raise item
        yield item


def test_slips_with_exceptions_are_told():
    report = hand_in("prefetch", prefetch=takes_exceptions_for_faults)
    assert "item 6 is an exception object, and it was raised" in fault(report, "edges")

    def wraps(source, depth):
        try:
            yield from source
        except Exception as fault:
            raise RuntimeError("the thread failed") from fault

    report = hand_in("prefetch", prefetch=wraps)
    assert "got RuntimeError instead" in fault(report, "exceptions")
    assert "the same object is wanted" in fault(report, "exceptions")


def test_a_hang_on_the_real_clock_is_ended_by_a_time_limit():
    with pytest.raises(AnswerError, match="with real threads it hangs"):
        watch_for_real(hangs, Wanted((0.001,) * 2, (0.001,) * 2, depth=1), 0.2)


def test_what_a_prefetcher_raises_on_the_real_clock_comes_out():
    with pytest.raises(KeyError, match="mine"):
        watch_for_real(raises_its_own, Wanted((0.001,) * 2, (0.001,) * 2, depth=1), 60.0)


def test_what_is_asked_for_after_the_stop_is_counted():
    wanted = Wanted(**TIMES, depth=2, stop_after=2)
    assert watch(prefetch, wanted).late <= 1

    def unbounded(source, depth):
        box = queue.Queue()
        threading.Thread(target=lambda: [box.put(one) for one in source], daemon=True).start()
        while True:
            yield box.get()

    assert watch(unbounded, wanted).late > 4


def test_what_was_raised_from_the_fault_is_named():
    def wraps(source, depth):
        try:
            yield from source
        except OSError as fault:
            raise LookupError("worse") from fault

    seen = watch(wraps, Wanted(**TIMES, depth=1, fault_at=2))
    assert (seen.raised, seen.instead) == (False, "LookupError")


def test_nothing_real_is_left_swapped():
    watch(hangs, Wanted(**TIMES, depth=1))
    assert isinstance(queue.Queue(1), queue.Queue)
    assert queue.Queue.__module__ == "queue"
    assert threading.Thread.__module__ == "threading"


@pytest.mark.parametrize(
    ("answer", "prop", "said"),
    [
        (hangs, "exceptions", "What can travel through the queue besides items?"),
        (hangs, "order", "has had the last item"),
        (polls_for_ever, "no-thread-left", "How can the thread be set free?"),
        (compares, "edges", "by `==`"),
        (lambda source, depth: iter(list(source)), "overlap", "Who reads while the consumer"),
        (lambda source, depth: reversed(list(source)), "order", "overtook each other"),
        (lambda source, depth: (object() for _ in source), "order", "not what the source gave"),
        (lambda source, depth: 7, "order", "should give an iterator"),
    ],
)
def test_slips_are_told(answer, prop, said):
    report = hand_in("prefetch", prefetch=answer)
    assert prop in lost(report)
    assert said in fault(report, prop)


def keeps_exceptions_alone(source, depth):
    box = queue.Queue(depth)

    def work():
        last = ("end", None)
        try:
            for item in source:
                box.put(("item", item))
        except Exception as fault:
            last = ("fault", fault)
        box.put(last)

    threading.Thread(target=work, daemon=True).start()
    while (got := box.get())[0] == "item":
        yield got[1]
    if got[0] == "fault":
        raise got[1]


def test_what_is_a_base_exception_alone_is_passed_on_too():
    run = Wanted(**TIMES, depth=2, fault_at=5, fault=SystemExit("bad sector"))
    assert watch(prefetch, run).raised
    assert watch_for_real(prefetch, run, 10.0).raised
    assert "empty queue" in watch(keeps_exceptions_alone, run).stuck
    report = hand_in("prefetch", prefetch=keeps_exceptions_alone)
    assert "but not an `Exception`" in fault(report, "exceptions")
