"""prefetch: an iterator that reads ahead in a thread, judged on the simulated clock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.feed_the_gpu.feeding import feed

_SAVED = 0.8
"""What must be saved of the time that overlap can save; the rest is for those who poll."""
_SLACK = 2
"""Beyond ``depth``, what may be asked for after the end, until the thread looks at a flag."""
_EDGES = "0, None, False and exceptions"
_STUCK = "Who should end this wait, and can that one still go on?"


def cases(rng: np.random.Generator) -> list[Case]:
    """Whole runs, small ones, fast and slow sources, faults, and consumers that stop early."""
    return [
        *(_case(rng, "order", 12, depth, read_ms=(4, 20), step_ms=(4, 20)) for depth in (2, 4)),
        # The source is through long before the consumer: the last items wait in the queue.
        _case(rng, "order", 12, 3, read_ms=(1, 3), step_ms=(9, 11)),
        _case(rng, "edges", 0, 2),
        _case(rng, "edges", 1, 3),
        _case(rng, "edges", 3, 5),
        _case(rng, "edges", 10, 2, kinds=_EDGES),
        *(_case(rng, "overlap", 16, d, read_ms=(9, 11), step_ms=(9, 11)) for d in (1, 2)),
        _case(rng, "overlap", 16, 2, read_ms=(4, 6), step_ms=(9, 11)),
        *(_case(rng, "bounded", 16, d, read_ms=(1, 3), step_ms=(9, 11)) for d in (1, 2, 4)),
        _case(rng, "exceptions", 9, 2, fault_at=0, fault="ValueError"),
        _case(rng, "exceptions", 9, 2, fault_at=int(rng.integers(3, 6))),
        _case(rng, "exceptions", 9, 2, fault_at=8, fault="KeyError"),
        _case(rng, "exceptions", 9, 4, read_ms=(1, 3), fault_at=6, fault="RuntimeError"),
        _case(rng, "exceptions", 9, 2, fault_at=int(rng.integers(3, 6)), fault="SystemExit"),
        _case(rng, "exceptions", 9, 2, is_shut=True),
        _case(rng, "no-thread-left", 12, 2),
        _case(rng, "no-thread-left", 40, 2, read_ms=(1, 3), stop_after=int(rng.integers(2, 6))),
        # One place, and the thread waits in put: when an item is taken, the queue is empty for a
        # moment, then full again, and the thread's last word finds no room.
        _case(rng, "no-thread-left", 40, 1, read_ms=(1, 3), stop_after=int(rng.integers(2, 6))),
        _case(rng, "no-thread-left", 40, 1, read_ms=(18, 20), stop_after=int(rng.integers(2, 6))),
        _case(rng, "no-thread-left", 40, 3, stop_after=1),
        # One place again: what is put in after the exception finds no room.
        _case(rng, "no-thread-left", 9, 1, read_ms=(1, 3), fault_at=4),
        # The thread reads the next item while the consumer stops, and that fails.
        _case(rng, "no-thread-left", 9, 2, read_ms=(18, 20), fault_at=3, stop_after=3),
        _case(rng, "order", 12, 2, is_beside=True),
    ]


def _case(
    rng: np.random.Generator,
    prop: str,
    count: int,
    depth: int,
    *,
    read_ms: tuple[int, int] = (5, 15),
    step_ms: tuple[int, int] = (5, 15),
    kinds: str = "numbers",
    fault_at: int | None = None,
    fault: str = "OSError",
    is_shut: bool = False,
    stop_after: int | None = None,
    is_beside: bool = False,
) -> Case:
    inputs = {
        "reads_s": _times(rng, read_ms, count),
        "steps_s": _times(rng, step_ms, count),
        "depth": depth,
        "kinds": kinds,
        "fault_at": fault_at,
        "fault": fault,
        "is_shut": is_shut,
        "stop_after": stop_after,
        "is_beside": is_beside,
        "seed": int(rng.integers(1000)),
    }
    said = f"{count} item{'' if count == 1 else 's'}, depth {depth}"
    said += f", {kinds} among them" if kinds != "numbers" else ""
    said += f", reading item {fault_at} raises {fault}" if fault_at is not None else ""
    said += f", `iter` of the source raises {fault}" if is_shut else ""
    said += f", the consumer stops after {stop_after}" if stop_after is not None else ""
    said += ", beside another call that is in use" if is_beside else ""
    return Case(said, inputs, (prop,))


def _times(rng: np.random.Generator, between_ms: tuple[int, int], count: int) -> list[float]:
    low, high = between_ms
    return [round(t * 1e-4, 6) for t in rng.integers(10 * low, 10 * high, count).tolist()]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """A run that could not go on, whatever its case decides."""
    if observed["stuck"]:
        yield Fault(case.decides[0], observed["stuck"], _STUCK)


def _test_items(case: Case, observed: Plain) -> Iterable[Fault]:
    got = observed["got"]
    message = items_fault(got, len(case.inputs["reads_s"]))
    if message and observed["instead"]:
        message = f"item {len(got)} is an exception object, and it was raised, not given"
    if message:
        yield Fault(case.decides[0], message)
    elif observed["is_mixed"]:
        told = "the other call, on another source, did not give the items of that source in order"
        yield Fault(case.decides[0], told)
    elif len(got) > 1 and observed["ahead"] < 2:
        told = "the source gave no item before the consumer wanted it, as without `prefetch`"
        yield Undecided(case.decides[0], told)


def items_fault(got: Sequence[int], count: int) -> str:
    """What is wrong with the items that arrived; nothing where all came once and in order."""
    for place, item in enumerate(got):
        if place >= count:
            return f"more than {count} items arrived"
        if item < 0:
            return f"what arrived in place {place} is not what the source gave"
        if item != place:
            return f"at place {place}, item {item} arrived; all in order of arrival: {list(got)}"
    return f"{len(got)} of {count} items arrived" if len(got) < count else ""


def _test_overlap(case: Case, observed: Plain) -> Iterable[Fault]:
    reads_s, steps_s = case.inputs["reads_s"], case.inputs["steps_s"]
    in_turn_s = sum(reads_s) + sum(steps_s)
    best_s = feed(reads_s, steps_s, case.inputs["depth"]).done_s[-1]
    message = items_fault(observed["got"], len(reads_s))
    if message:
        yield Undecided("overlap", message)
    elif in_turn_s - observed["end_s"] < _SAVED * (in_turn_s - best_s):
        yield Fault(
            "overlap",
            f"the run took {_ms(observed['end_s'])}. One after the other it takes "
            f"{_ms(in_turn_s)}, with reading ahead {_ms(best_s)}. While the device computed, the "
            f"disk read for {_ms(observed['overlap_s'])}",
        )


def _test_bound(case: Case, observed: Plain) -> Iterable[Fault]:
    depth = case.inputs["depth"]
    message = items_fault(observed["got"], len(case.inputs["reads_s"]))
    if message:
        yield Undecided("bounded", message)
    elif observed["ahead"] > depth + 1:
        yield Fault(
            "bounded",
            f"with depth {depth}, the source was asked for {observed['ahead']} items more than the "
            "consumer had taken",
        )


def _test_exception(case: Case, observed: Plain) -> Iterable[Fault]:
    at, wanted, got = case.inputs["fault_at"] or 0, case.inputs["fault"], observed["got"]
    message = items_fault(got, len(got))
    if message:
        yield Undecided("exceptions", message)
        return
    if observed["raised"] and len(got) == at:
        return
    instead = observed["instead"]
    told = "the iterator just ended"
    if observed["raised"]:
        told = "the consumer got the exception"
    elif instead:
        told = f"the consumer got {f'another {wanted}' if instead == wanted else instead} instead"
    count = f"{len(got)} item{'' if len(got) == 1 else 's'}"
    where = "in `iter`" if case.inputs["is_shut"] else f"at item {at}"
    yield Fault("exceptions", f"the source failed {where} with {wanted}: {told} after {count}")


def _test_end(case: Case, observed: Plain) -> Iterable[Fault]:
    stop_after, fault_at = case.inputs["stop_after"], case.inputs["fault_at"]
    taken, wanted = len(observed["got"]), len(case.inputs["reads_s"])
    when = "after the last item"
    if stop_after is not None:
        when, wanted = f"after the consumer stopped at {taken}", stop_after
    elif fault_at is not None:
        when, wanted = "after the exception", fault_at
    if observed["left"]:
        told = " and ".join(f"{name} still waits for {what}" for name, what in observed["left"])
        yield Fault("no-thread-left", f"{when}, {told}")
    elif stop_after is not None and observed["late"] > case.inputs["depth"] + _SLACK:
        yield Fault(
            "no-thread-left",
            f"{when}, the thread asked the source for {observed['late']} more items",
        )
    elif taken < wanted:
        yield Undecided("no-thread-left", items_fault(observed["got"], wanted))


def _ms(time_s: float) -> str:
    return f"{1e3 * time_s:.4g} ms"


JUDGE = Judge(
    title="Read ahead in a thread",
    properties=(
        Property(
            "order",
            "every item arrives once, in order",
            1,
            "Follow an item from the source to the loop. Where does it wait, and what passes it "
            "on?",
            _test_items,
        ),
        Property(
            "edges",
            "no item, one item, few items; items that are 0, None, an exception",
            1,
            "An item may look like anything, and there may be none. How does your iterator know "
            "that something is an item, and that there are no more?",
            _test_items,
        ),
        Property(
            "overlap",
            "the source is read while the consumer works",
            2,
            "While the consumer works on an item, who reads the next one? Can it start before the "
            "consumer asks for more?",
            _test_overlap,
        ),
        Property(
            "bounded",
            "never more than `depth` items wait for the consumer",
            1,
            "`depth` items may wait, and the thread may hold one more. What makes the thread wait "
            "when the consumer is slow?",
            _test_bound,
            after=("overlap",),
        ),
        Property(
            "exceptions",
            "an exception from the source reaches the consumer, at its place",
            1,
            "The loop should get the items before the exception, and then that same object. How "
            "does it get from the source to the loop?",
            _test_exception,
            after=("overlap",),
        ),
        Property(
            "no-thread-left",
            "no thread is left behind, even if the consumer stops early",
            2,
            "When the loop is over, what may your thread be doing or waiting for? Who ends that?",
            _test_end,
            after=("overlap",),
        ),
    ),
    hints=(
        "Three things travel from the thread to the consumer: items, the end, an exception. How "
        "does the consumer tell them apart, whatever an item looks like? And one thing travels "
        "back: that the consumer has stopped.",
        'Put pairs into `queue.Queue(depth)`: `("item", item)`, `("end", None)`, `("fault", '
        "exception)`. Around the consumer's loop goes `try: ... finally:`, which also runs when "
        "the generator is closed. There, set a `threading.Event`, which the thread checks between "
        "items, and take from the queue until its last message has arrived.",
        'In the thread: `try: for item in source: box.put(("item", item))`, then `if '
        "stop.is_set(): break`; `except BaseException as fault`, which is every type there is, "
        'keeps `("fault", fault)` as the last message instead of `("end", None)`; it is put in any '
        'case. In the consumer: `while (got := box.get())[0] == "item": yield got[1]`; `finally: '
        'stop.set()` and `while got[0] == "item": got = box.get()`. Then raise a fault.',
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "prefetch": Prediction(
            "while the draft's thread is reading, the source raises an exception. What does the "
            "training loop get?",
            truth="nothing, forever",
            choices=("the exception", "an early end", "nothing, forever"),
            because="The exception ends the thread, and only the thread. The loop waits in `get` "
            "for an item that will never come.",
        )
    },
)
