"""The same programs on the stand-ins and on Python's own modules give the same results.

Each program returns what it saw; none of it depends on who was faster.
"""

from __future__ import annotations

import concurrent.futures
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from gpuedu.clock import VirtualClock, lend


def raised(call, *args, **options):
    """The exception that a call raises, by name and text."""
    try:
        call(*args, **options)
    except Exception as fault:
        return type(fault).__name__, str(fault)
    return None


def bounded_queue():
    box = queue.Queue(maxsize=2)
    box.put(1)
    box.put(2)
    seen = [box.full(), box.qsize(), raised(box.put_nowait, 3), raised(box.put, 3, timeout=0.001)]
    seen += [box.get(), box.get_nowait(), box.empty(), raised(box.get, False)]
    return [*seen, raised(box.get, timeout=0.001), raised(box.get, timeout=-1)]


def kinds_of_queue():
    seen = []
    for box in (queue.LifoQueue(), queue.PriorityQueue(), queue.SimpleQueue(), queue.Queue()):
        for item in (2, 3, 1):
            box.put(item)
        seen.append([box.get() for _ in range(3)])
    return seen


def producer_and_consumer():
    box, seen = queue.Queue(1), []

    def produce():
        for item in range(5):
            box.put(item)
        box.put(None)

    maker = threading.Thread(target=produce)
    maker.start()
    while (item := box.get()) is not None:
        seen.append(item)
        box.task_done()
    box.task_done()
    box.join()
    maker.join()
    return seen, maker.is_alive(), box.unfinished_tasks, raised(box.task_done)


def queues_that_are_shut_down():
    box, empty, full = queue.Queue(2), queue.Queue(), queue.Queue(1)
    box.put(1)
    box.shutdown()
    seen = [raised(box.put, 2), raised(box.put_nowait, 2), box.get(), raised(box.get)]
    full.put(0)
    told = []
    calls = (lambda: told.append(raised(full.put, 1)), lambda: told.append(raised(empty.get)))
    threads = [threading.Thread(target=call) for call in calls]
    threads.append(threading.Thread(target=full.join))
    for one in threads:
        one.start()
    time.sleep(0.01)
    full.shutdown(immediate=True)
    empty.shutdown()
    for one in threads:
        one.join()
    return [*seen, told, full.qsize(), raised(full.get_nowait), full.is_shutdown]


def thread_rules():
    names = []
    thread = threading.Thread(
        target=lambda: names.append(threading.current_thread().name), name="t"
    )
    seen = [raised(thread.join), thread.is_alive()]
    thread.start()
    thread.join()
    seen += [raised(thread.start), thread.is_alive(), thread.daemon, names]
    own = threading.Thread(target=lambda: seen.append(raised(own.join)))
    own.start()
    own.join()
    return seen


def subclassed_thread():
    class Doubler(threading.Thread):
        def __init__(self, number):
            super().__init__(daemon=True)
            self.number = number

        def run(self):
            self.number *= 2

    threads = [Doubler(number) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return [one.number for one in threads]


def locks():
    plain, again = threading.Lock(), threading.RLock()
    seen = [plain.acquire(), plain.acquire(blocking=False), plain.acquire(timeout=0.001)]
    seen += [plain.locked(), plain.release(), plain.locked(), raised(plain.release)]
    with again, again:
        seen.append(again.acquire(blocking=False))
        again.release()
    return [*seen, raised(again.release), raised(plain.acquire, False, 1.0)]


def counted_under_a_lock():
    lock, count = threading.Lock(), [0]

    def add():
        for _ in range(50):
            with lock:
                before = count[0]
                time.sleep(1e-6)
                count[0] = before + 1

    threads = [threading.Thread(target=add) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return count


def semaphores():
    places, bounded = threading.Semaphore(2), threading.BoundedSemaphore(1)
    seen = [places.acquire(), places.acquire(), places.acquire(blocking=False)]
    places.release(2)
    seen += [
        places.acquire(timeout=0.001),
        raised(bounded.release),
        raised(threading.Semaphore, -1),
    ]
    with bounded:
        seen.append(bounded.acquire(blocking=False))
    return seen


def events():
    event = threading.Event()
    seen = [event.is_set(), event.wait(0.001), event.wait(0)]
    thread = threading.Thread(target=event.set)
    thread.start()
    seen += [event.wait(), event.is_set(), event.wait(0)]
    thread.join()
    event.clear()
    return [*seen, event.is_set()]


def conditions():
    condition, items, seen = threading.Condition(), [], []

    def consume():
        with condition:
            seen.append(condition.wait_for(lambda: len(items) == 2))

    thread = threading.Thread(target=consume)
    thread.start()
    for item in range(2):
        with condition:
            items.append(item)
            condition.notify_all()
    thread.join()
    with condition:
        late = condition.wait(0.001), condition.wait_for(lambda: 0, timeout=0.001)
    return seen, late, raised(condition.notify), raised(condition.wait)


def barriers():
    barrier, rounds = threading.Barrier(3, action=lambda: rounds.append("all")), []
    places = []

    def meet():
        for _ in range(4):
            places.append(barrier.wait())

    threads = [threading.Thread(target=meet) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    alone = threading.Barrier(2)
    return rounds, sorted(places), raised(alone.wait, 0.001), alone.broken, raised(alone.wait)


def pools():
    with ThreadPoolExecutor(max_workers=2) as pool:
        doubled = list(pool.map(lambda number: 2 * number, range(6)))
        bad = pool.submit(int, "x")
        good = pool.submit(sum, [1, 2])
        seen = [doubled, raised(bad.result), type(bad.exception()).__name__, good.result()]
        every = concurrent.futures.as_completed([bad, good], timeout=5)
        seen += [{one is good for one in every}, good.done(), good.cancel()]
    return [*seen, raised(pool.submit, sum, [])]


PROGRAMS = [
    bounded_queue,
    kinds_of_queue,
    producer_and_consumer,
    pytest.param(
        queues_that_are_shut_down,
        marks=pytest.mark.skipif(not hasattr(queue, "ShutDown"), reason="since Python 3.13"),
    ),
    thread_rules,
    subclassed_thread,
    locks,
    counted_under_a_lock,
    semaphores,
    events,
    conditions,
    barriers,
    pools,
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_the_standins_do_what_the_real_ones_do(program, seed):
    real = program()
    with VirtualClock(seed=seed) as clock, lend(program):
        simulated = program()
        assert clock.settle() == ()
    assert simulated == real
    assert clock.failures == ()
