"""Prefetching a slow disk, as learners write it: right and wrong ways, told apart on every run."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from gpuedu.clock import SlowDisk, VirtualClock, lend
from gpuedu.errors import DeadlockError

END = object()
READ_S, STEP_S, COUNT = 0.010, 0.015, 20


def with_a_thread(read, count, depth):
    box, stop = queue.Queue(depth), threading.Event()

    def work():
        try:
            for index in range(count):
                if stop.is_set():
                    return
                box.put((read(index), None))
            box.put((END, None))
        except Exception as fault:
            box.put((END, fault))

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    try:
        while True:
            item, fault = box.get()
            if fault is not None:
                raise fault
            if item is END:
                return
            yield item
    finally:
        stop.set()
        while worker.is_alive():
            try:
                box.get(timeout=0.001)
            except queue.Empty:
                continue


def with_a_pool(read, count, depth):
    with ThreadPoolExecutor(1) as pool:
        waiting = []
        for index in range(count):
            waiting.append(pool.submit(read, index))
            if len(waiting) > depth:
                yield waiting.pop(0).result()
        while waiting:
            yield waiting.pop(0).result()


def one_after_another(read, count, depth):
    for index in range(count):
        yield read(index)


def a_worker_each(read, count, depth):
    box = queue.Queue(depth)
    for index in range(count):
        threading.Thread(target=lambda index=index: box.put(read(index)), daemon=True).start()
    for _ in range(count):
        yield box.get()


def dies_in_silence(read, count, depth):
    box = queue.Queue(depth)

    def work():
        for index in range(count):
            box.put(read(index))

    threading.Thread(target=work, name="worker", daemon=True).start()
    for _ in range(count):
        yield box.get()


def joins_when_the_queue_looks_empty(read, count, depth):
    box, stop = queue.Queue(depth), threading.Event()

    def work():
        for index in range(count):
            if stop.is_set():
                break
            box.put(read(index))
        box.put(END)

    worker = threading.Thread(target=work, name="worker", daemon=True)
    worker.start()
    try:
        while (item := box.get()) is not END:
            yield item
    finally:
        stop.set()
        while not box.empty():
            box.get()
        worker.join()


def train(prefetch, *, seed=None, depth=2, most=COUNT, **disk_options):
    """What arrives, when all was done, who is left behind."""
    with VirtualClock(seed=seed) as clock, lend(prefetch):
        times_s = [READ_S * (1 + index % 3) / 2 for index in range(COUNT)]
        disk = SlowDisk(clock, list(range(COUNT)), times_s, **disk_options)
        got, source = [], prefetch(disk.read, COUNT, depth)
        try:
            for item in source:
                got.append(item)
                clock.work(STEP_S, "kernel", lane="compute")
                if len(got) == most:
                    break
            source.close()
        finally:
            end_s, left = clock.now(), clock.settle()
        return got, end_s, left, len(disk.asked), clock.timeline


@pytest.mark.parametrize("prefetch", [with_a_thread, with_a_pool])
@pytest.mark.parametrize("seed", [None, *range(10)])
def test_right_ways_keep_order_overlap_and_clean_up(prefetch, seed):
    got, end_s, left, _, timeline = train(prefetch, seed=seed)
    assert (got, left) == (list(range(COUNT)), ())
    assert end_s == pytest.approx(READ_S / 2 + COUNT * STEP_S, abs=2e-3)
    assert timeline.overlap_s("disk", "compute") > 0.9 * (timeline.busy_s("disk") - READ_S)


@pytest.mark.parametrize("prefetch", [with_a_thread, with_a_pool])
@pytest.mark.parametrize("seed", [None, *range(5)])
def test_right_ways_stop_early_and_forward_what_went_wrong(prefetch, seed):
    got, _, left, asked, _ = train(prefetch, seed=seed, most=3)
    assert (got, left) == ([0, 1, 2], ())
    assert asked <= 3 + 2 + 2
    with pytest.raises(OSError, match="bad sector"):
        train(prefetch, seed=seed, faults={4: OSError("bad sector")})


def test_without_a_worker_nothing_overlaps():
    _, end_s, _, _, timeline = train(one_after_another)
    assert timeline.overlap_s("disk", "compute") == 0.0
    assert end_s == pytest.approx(timeline.busy_s("disk") + COUNT * STEP_S)


def test_a_worker_for_each_item_loses_the_order():
    got, *_ = train(a_worker_each, channels=4)
    assert sorted(got) == list(range(COUNT))
    assert got != list(range(COUNT))


def test_a_forgotten_worker_is_named():
    _, _, left, _, _ = train(dies_in_silence, most=3)
    (worker,) = left
    assert worker.name == "worker"
    assert worker.what == "room in a queue (2 of 2 places taken)"


def test_a_worker_that_died_in_silence_is_told():
    with pytest.raises(
        DeadlockError, match="main waits for an item of an empty queue; worker had "
    ):
        train(dies_in_silence, faults={4: OSError("bad sector")})


@pytest.mark.parametrize("seed", [None, *range(5)])
def test_a_queue_looks_empty_before_the_item_that_waits_for_room_is_in(seed):
    waits_for = "main waits for the end of worker; worker waits for room in a queue"
    with pytest.raises(DeadlockError, match=waits_for):
        train(joins_when_the_queue_looks_empty, seed=seed, depth=1, most=3)


@pytest.mark.parametrize("prefetch", [with_a_thread, with_a_pool, a_worker_each])
def test_every_run_is_the_same(prefetch):
    first = train(prefetch, seed=7)
    assert all(train(prefetch, seed=7) == first for _ in range(20))
