"""Prefetchers watched at work: what their runs tell, hanging and livelocked ones included."""

from __future__ import annotations

import queue
import threading
import time

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Undecided
from gpuedu.exercises.feed_the_gpu.prefetch.runs import (
    LIMIT_S,
    Wanted,
    watch,
    watch_for_real,
)
from tests.exercises.reports import fault, hand_in, lost
from tests.exercises.stored import solution_answers

prefetch = solution_answers("prefetch")["prefetch"]
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


def raises_items(source, depth):
    for item in source:
        if isinstance(item, Exception):
            raise item
        yield item


def wraps(source, depth):
    try:
        yield from source
    except Exception as fault:
        raise LookupError("worse") from fault


def copies(source, depth):
    faults = []
    try:
        yield from source
    except Exception as fault:
        faults.append(type(fault)(*fault.args))
    if faults:
        raise faults[0]


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


@pytest.mark.parametrize("answer", [wraps, copies])
def test_what_was_made_of_the_fault_is_named(answer):
    seen = watch(answer, Wanted(**TIMES, depth=1, fault_at=2))
    assert not seen.raised
    assert seen.instead == ("LookupError" if answer is wraps else "OSError")


def test_nothing_real_is_left_swapped():
    watch(hangs, Wanted(**TIMES, depth=1))
    assert isinstance(queue.Queue(1), queue.Queue)
    assert queue.Queue.__module__ == "queue"
    assert threading.Thread.__module__ == "threading"


@pytest.mark.parametrize(
    ("answer", "prop", "said"),
    [
        (hangs, "exceptions", "had ended with ValueError: bad sector"),
        (hangs, "order", "waits for an item of an empty queue"),
        (polls_for_ever, "no-thread-left", "it still was not done"),
        (compares, "edges", "by `==`"),
        (raises_items, "edges", "item 6 is an exception object, and it was raised"),
        (wraps, "exceptions", "got LookupError instead"),
        (copies, "exceptions", "got another ValueError instead"),
        (lambda source, depth: reversed(list(source)), "order", "at place 0, item 11 arrived"),
        (lambda source, depth: (object() for _ in source), "order", "not what the source gave"),
        (lambda source, depth: 7, "order", "should give an iterator"),
    ],
)
def test_what_went_wrong_is_told(answer, prop, said):
    report = hand_in("prefetch", prefetch=answer)
    assert prop in lost(report)
    assert said in fault(report, prop).message


def test_nothing_is_said_of_overlap_and_threads_where_items_are_lost():
    report = hand_in("prefetch", prefetch=lambda source, depth: iter(list(source)[:-1]))
    assert isinstance(fault(report, "overlap"), Undecided)
    assert isinstance(fault(report, "no-thread-left"), Undecided)


def test_what_is_a_base_exception_alone_is_passed_on_too():
    run = Wanted(**TIMES, depth=2, fault_at=5, fault=SystemExit("bad sector"))
    assert watch(prefetch, run).raised
    assert watch_for_real(prefetch, run, 10.0).raised


def test_a_source_that_cannot_be_opened_raises_in_the_loop():
    seen = watch(prefetch, Wanted(**TIMES, depth=2, is_shut=True))
    assert (seen.got, seen.raised, seen.stuck, seen.left) == ((), True, "", ())


def test_a_fault_after_the_stop_may_come_out_of_close():
    def raises_in_close(source, depth):
        box, stop = queue.Queue(depth), threading.Event()

        def work():
            try:
                for item in source:
                    box.put((item, None))
                    if stop.is_set():
                        break
                box.put((None, StopIteration))
            except Exception as fault:
                box.put((None, fault))

        threading.Thread(target=work, daemon=True).start()
        fault = None
        try:
            while True:
                item, fault = box.get()
                if fault is not None:
                    break
                yield item
        finally:
            stop.set()
            while fault is None:
                _, fault = box.get()
            if fault is not StopIteration:
                raise fault

    late = Wanted((0.02,) * 9, (0.01,) * 9, depth=2, fault_at=3, stop_after=3)
    for answer in (prefetch, raises_in_close):
        seen = watch(answer, late)
        assert (seen.got, seen.stuck, seen.left) == ((0, 1, 2), "", ())


def test_what_close_itself_raises_comes_out():
    def stumbles(source, depth):
        try:
            yield from source
        finally:
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        watch(stumbles, Wanted(**TIMES, depth=1, stop_after=2))
