"""How long things take on the stand-ins, which on the real ones nobody could say."""

from __future__ import annotations

import concurrent.futures
import contextlib
import queue
import threading
import time

import pytest

from gpuedu.clock import VirtualClock, lend
from gpuedu.clock.standins import threads, times
from gpuedu.errors import ClockError, DeadlockError


def run(program, seed=None):
    with VirtualClock(seed=seed) as clock, lend(program):
        return program(), clock.now()


def test_sleep_and_every_clock_agree():
    def program():
        time.sleep(1.5)
        return time.time(), time.perf_counter(), time.monotonic(), time.perf_counter_ns()

    assert run(program) == ((1.5, 1.5, 1.5, 1_500_000_000), 1.5)


def test_a_negative_sleep_is_refused():
    with VirtualClock(), pytest.raises(ValueError, match="non-negative"):
        times.sleep(-1)


def test_threads_sleep_side_by_side():
    def program():
        sleepers = [threading.Thread(target=time.sleep, args=(t,)) for t in (3.0, 1.0, 2.0)]
        for one in sleepers:
            one.start()
        ends = []
        for one in sleepers:
            one.join(timeout=1.5)
            ends.append(time.perf_counter())
        return ends

    assert run(program) == ([1.5, 1.5, 2.0], 2.0)


def test_timeouts_end_when_they_say():
    def program():
        box, lock, ends = queue.Queue(1), threading.Lock(), []
        box.put(0)
        lock.acquire()
        for call in (
            lambda: box.put(1, timeout=0.5),
            lambda: lock.acquire(timeout=0.25),
            lambda: threading.Event().wait(2.0),
        ):
            with contextlib.suppress(queue.Full):
                call()
            ends.append(time.perf_counter())
        return ends

    assert run(program) == ([0.5, 0.75, 2.75], 2.75)


def test_a_time_out_and_an_item_at_the_same_instant_lose_nothing():
    def program():
        box, got = queue.Queue(), []

        def wait():
            try:
                got.append(box.get(timeout=1.0))
            except queue.Empty:
                got.append(None)

        waiters = [threading.Thread(target=wait) for _ in range(2)]
        for one in waiters:
            one.start()
        time.sleep(1.0)
        box.put("late")
        for one in waiters:
            one.join()
        return got.count("late") + box.qsize(), len(got)

    for seed in (None, *range(20)):
        assert run(program, seed)[0] == (1, 2)


@pytest.mark.parametrize(("depth", "total_s"), [(1, 0.16), (4, 0.16)])
def test_a_reader_and_a_trainer_overlap(depth, total_s):
    def program(depth=depth):
        box = queue.Queue(depth)

        def read():
            for item in range(10):
                time.sleep(0.010)
                box.put(item)
            box.put(None)

        threading.Thread(target=read, daemon=True).start()
        while box.get() is not None:
            time.sleep(0.015)

    # The first read, and then the slower of the two for every item.
    assert run(program) == (None, total_s)


def test_a_pool_of_two_halves_the_time():
    def program():
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(time.sleep, [1.0] * 6))

    assert run(program) == (None, 3.0)


def test_a_loop_that_only_looks_comes_to_an_end():
    def program():
        done = []
        threading.Thread(target=lambda: (time.sleep(0.01), done.append(1))).start()
        while not done:
            time.sleep(0)
        return len(done)

    ones, end_s = run(program)
    assert ones == 1
    assert 0.01 <= end_s < 0.0101


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (lambda: queue.Queue().get(), "main waits for an item of an empty queue"),
        (
            lambda: [(box := queue.Queue(1)).put(1), box.put(2)],
            r"main waits for room in a queue \(1 of 1 places taken\)",
        ),
        (lambda: [(lock := threading.Lock()).acquire(), lock.acquire()], "a lock that main holds"),
        (lambda: threading.Event().wait(), "an event to be set"),
        (lambda: threading.Semaphore(0).acquire(), "a place of a semaphore"),
        (lambda: threading.Barrier(2).wait(), "a barrier that 1 of 2 threads have reached"),
        (lambda: concurrent.futures.Future().result(), "the result of a call"),
    ],
)
def test_a_wait_for_ever_says_what_for(program, said):
    with pytest.raises(DeadlockError, match=said):
        run(program)


def test_two_locks_taken_the_wrong_way_round():
    def program():
        one, two = threading.Lock(), threading.Lock()

        def other():
            with two:
                time.sleep(1)
                with one:
                    pass

        threading.Thread(target=other, name="other").start()
        with one:
            time.sleep(1)
            with two:
                pass

    with pytest.raises(
        DeadlockError, match="main waits for a lock that other holds; other waits fo"
    ):
        run(program)


def test_off_the_clock_the_standins_refuse():
    with pytest.raises(ClockError, match="is not on the simulated clock"):
        threads.Thread(target=print)
    with pytest.raises(ClockError, match="is not on the simulated clock"):
        times.sleep(1)


def test_a_real_thread_is_no_part_of_the_simulation():
    faults = []

    def use():
        try:
            times.sleep(1)
        except ClockError as fault:
            faults.append(fault.remedy)

    with VirtualClock():
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
    assert faults == ["Start threads with `threading.Thread`: the clock knows those."]
