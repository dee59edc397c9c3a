"""prefetch: an iterator that reads ahead in a thread, judged on the simulated clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.feed_the_gpu.feeding import feed
from gpuedu.exercises.feed_the_gpu.prefetch.prefetch_runs import AMBIGUOUS, BAD

_SAVED = 0.8
"""What must be saved of the time that overlap can save; the rest is for those who poll."""
_SLACK = 2
"""Beyond ``depth``, what may be asked for after the end, until the thread looks at a flag."""
_EDGES = "0, None and an exception"


def cases(rng: np.random.Generator) -> list[Case]:
    """Whole runs, small ones, fast and slow sources, faults, and consumers that stop early."""
    return [
        *(_case(rng, "order", 12, depth, read_ms=(4, 20), step_ms=(4, 20)) for depth in (2, 4)),
        # The source is through long before the consumer: the last items wait in the queue.
        _case(rng, "order", 12, 3, read_ms=(1, 3), step_ms=(9, 11)),
        _case(rng, "edges", 0, 2),
        _case(rng, "edges", 1, 3),
        _case(rng, "edges", 3, 5),
        _case(rng, "edges", 8, 2, kinds=_EDGES),
        *(_case(rng, "overlap", 16, d, read_ms=(9, 11), step_ms=(9, 11)) for d in (1, 2)),
        _case(rng, "overlap", 16, 2, read_ms=(4, 6), step_ms=(9, 11)),
        *(_case(rng, "bounded", 16, d, read_ms=(1, 3), step_ms=(9, 11)) for d in (1, 2, 4)),
        _case(rng, "exceptions", 9, 2, fault_at=0, fault="ValueError"),
        _case(rng, "exceptions", 9, 2, fault_at=int(rng.integers(3, 6))),
        _case(rng, "exceptions", 9, 2, fault_at=8, fault="KeyError"),
        _case(rng, "exceptions", 9, 4, read_ms=(1, 3), fault_at=6, fault="RuntimeError"),
        _case(rng, "exceptions", 9, 2, fault_at=int(rng.integers(3, 6)), fault="SystemExit"),
        _case(rng, "no-thread-left", 12, 2),
        _case(rng, "no-thread-left", 40, 2, read_ms=(1, 3), stop_after=int(rng.integers(2, 6))),
        # One place, and the thread waits in put: when an item is taken, the queue is empty for a
        # moment, then full again, and the thread's last word finds no room.
        _case(rng, "no-thread-left", 40, 1, read_ms=(1, 3), stop_after=int(rng.integers(2, 6))),
        _case(rng, "no-thread-left", 40, 1, read_ms=(18, 20), stop_after=int(rng.integers(2, 6))),
        _case(rng, "no-thread-left", 40, 3, stop_after=1),
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
    stop_after: int | None = None,
) -> Case:
    inputs = {
        "reads_s": _times(rng, read_ms, count),
        "steps_s": _times(rng, step_ms, count),
        "depth": depth,
        "kinds": kinds,
        "fault_at": fault_at,
        "fault": fault,
        "stop_after": stop_after,
        "seed": int(rng.integers(1000)),
    }
    said = f"{count} item{'' if count == 1 else 's'}, depth {depth}"
    said += f", {kinds} among them" if kinds != "numbers" else ""
    said += f", reading item {fault_at} raises {fault}" if fault_at is not None else ""
    said += f", the consumer stops after {stop_after}" if stop_after is not None else ""
    return Case(said, inputs, (prop,))


def _times(rng: np.random.Generator, between_ms: tuple[int, int], count: int) -> list[float]:
    low, high = between_ms
    return [round(t * 1e-4, 6) for t in rng.integers(10 * low, 10 * high, count).tolist()]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Whether the one property that the case decides holds."""
    (prop,) = case.decides
    if observed["stuck"]:
        cause = _ANY_TYPE if case.inputs["fault"] == "SystemExit" else why_stuck(observed)
        yield Fault(prop, observed["stuck"], cause)
        return
    if prop in ("order", "edges"):
        yield from _judge_items(prop, case.inputs, observed)
    elif prop == "overlap":
        yield from _judge_overlap(case.inputs, observed)
    elif prop == "bounded":
        yield from _judge_bound(case.inputs, observed)
    elif prop == "exceptions":
        yield from _judge_exception(case.inputs, observed)
    else:
        yield from _judge_end(case.inputs, observed)


def why_stuck(observed: Plain) -> str:
    """A question for who built a deadlock, from who waited for what."""
    said = observed["stuck"]
    waits = [what for _, what in observed["waiting"]]
    if BAD in said:
        return (
            "The source's exception ended your thread, and nobody told the consumer. What can "
            "travel through the queue besides items? (And does your thread keep every exception, "
            "or those of one type?)"
        )
    if AMBIGUOUS in said:
        return (
            "An item is an array here, and `==` compares its elements. Whether something *is* your "
            "mark for the end, `is` tells."
        )
    if "had ended with" in said:
        return "Your thread died of that exception; the consumer does not know. What raised it?"
    if any("room in" in what for what in waits):
        return (
            "Your thread waits for room in the queue, and who should take an item out waits for "
            "the thread, or is gone. How can the thread be set free? (Where it waits in `put`, a "
            "queue that is empty after a `get` will not stay so: the item goes in next.)"
        )
    if any("empty queue" in what for what in waits):
        return (
            "Nothing comes any more, and the consumer does not know that it has had the last item. "
            "What tells it so?"
        )
    return "Who should end this wait, and can that one still go on?"


def _judge_items(prop: str, inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    fault = items_fault(observed["got"], len(inputs["reads_s"]))
    if fault and observed["instead"]:
        told = f"item {len(observed['got'])} is an exception object, and it was raised, not given"
        yield Fault(prop, told, "How does your iterator tell an item from what went wrong?")
    elif fault:
        yield Fault(prop, fault, _why_items(inputs, observed["got"]))


def items_fault(got: Sequence[int], count: int) -> str:
    """What is wrong with the items that arrived; nothing where all came once and in order."""
    for place, item in enumerate(got):
        if place >= count:
            return f"more than {count} items arrived"
        if item < 0:
            return f"what arrived in place {place} is not what the source gave"
        if item != place:
            return f"in place {place} arrived item {item}; all in order of arrival: {list(got)}"
    return f"{len(got)} of {count} items arrived" if len(got) < count else ""


def _why_items(inputs: Mapping[str, Any], got: Sequence[int]) -> str:
    count = len(inputs["reads_s"])
    if sorted(got) == list(range(count)):
        return "Items overtook each other. How many threads read, and what kind of queue is it?"
    if inputs["kinds"] != "numbers" and len(got) < count:
        return (
            "Some items are `0` or `None`, one is an exception object. What does your iterator "
            "take for the end? An item can look like each of them."
        )
    if len(got) < count:
        return "Does the consumer look whether the thread is alive before the queue is empty?"
    return ""


def _judge_overlap(inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    reads_s, steps_s = inputs["reads_s"], inputs["steps_s"]
    in_turn_s = sum(reads_s) + sum(steps_s)
    best_s = feed(reads_s, steps_s, inputs["depth"]).done_s[-1]
    fault = items_fault(observed["got"], len(reads_s))
    if fault:
        yield Fault("overlap", fault)
    elif in_turn_s - observed["end_s"] < _SAVED * (in_turn_s - best_s):
        yield Fault(
            "overlap",
            f"the run took {_ms(observed['end_s'])}. One after the other it takes "
            f"{_ms(in_turn_s)}, with reading ahead {_ms(best_s)}. While the device computed, the "
            f"disk read for {_ms(observed['overlap_s'])}",
            "Who reads while the consumer is busy? Is the thread told to go on before the "
            "consumer's step, or only afterwards?",
        )


def _judge_bound(inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    most = inputs["depth"] + 1
    if observed["ahead"] > most:
        yield Fault(
            "bounded",
            f"with depth {inputs['depth']}, the source was asked for {observed['ahead']} items "
            "more than the consumer had taken",
            f"{inputs['depth']} may wait, and the thread may have one more in its hand. What makes "
            "the thread wait when the consumer is slow?",
        )


def _judge_exception(inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    at, got = inputs["fault_at"], observed["got"]
    fault = items_fault(got, at)
    instead = observed["instead"]
    told = f"the consumer got {instead} instead" if instead else "the iterator just ended"
    told = "the consumer got the exception" if observed["raised"] else told
    if fault or not observed["raised"]:
        yield Fault(
            "exceptions",
            f"the source failed at item {at} with {inputs['fault']}: {told} after {len(got)} item"
            f"{'' if len(got) == 1 else 's'}",
            _WRAPPED if instead else _why_exception(len(got), at, raised=observed["raised"]),
        )


_ANY_TYPE = (
    "`SystemExit` is a `BaseException`, but not an `Exception`. Which does your thread keep?"
)
_WRAPPED = (
    "Who catches the source's exception around the loop asks for its type: the same object is "
    "wanted, by a plain `raise fault`. Its traceback says where it comes from."
)


def _why_exception(got: int, at: int, *, raised: bool) -> str:
    if not raised:
        return (
            "The training would end too soon, and nobody would know why. Where does the "
            "exception go that ends your thread?"
        )
    if got < at:
        return "Items that were read before the fault are lost. Must the exception overtake them?"
    return ""


def _judge_end(inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    count, stop_after = len(inputs["reads_s"]), inputs["stop_after"]
    taken = len(observed["got"])
    when = "after the last item" if stop_after is None else f"after the consumer stopped at {taken}"
    if observed["left"]:
        told = " and ".join(f"{name} still waits for {what}" for name, what in observed["left"])
        yield Fault("no-thread-left", f"{when}, {told}", _why_left(observed["left"]))
    elif stop_after is not None and observed["late"] > inputs["depth"] + _SLACK:
        yield Fault(
            "no-thread-left",
            f"{when}, the thread asked the source for {observed['late']} more items",
            "The thread ends, but only after it has read what nobody wants. How can it be told?",
        )
    elif taken < (count if stop_after is None else stop_after):
        yield Fault("no-thread-left", items_fault(observed["got"], count))


def _why_left(left: Sequence[Sequence[str]]) -> str:
    if any("room in" in what for _, what in left):
        return (
            "A generator that is closed gets `GeneratorExit` at its `yield`, so a `finally` there "
            "runs. A thread that waits in `put` sees no flag: who makes room for it?"
        )
    return "Who should end that wait, now that the consumer is gone?"


def _ms(time_s: float) -> str:
    return f"{1e3 * time_s:.4g} ms"


JUDGE = Judge(
    title="Read ahead in a thread",
    properties=(
        Property("order", "every item arrives once, in order", 1),
        Property("edges", "no item, one item, few items; items that are 0, None, an exception", 1),
        Property("overlap", "the source is read while the consumer works", 2),
        Property("bounded", "never more than `depth` items wait for the consumer", 1),
        Property("exceptions", "an exception of the source reaches the consumer, in its place", 1),
        Property("no-thread-left", "no thread is left, also where the consumer stops early", 2),
    ),
    hints=(
        "Three things travel from the thread to the consumer: items, the end, an exception. How "
        "does the consumer tell them apart, whatever an item looks like? And one thing travels "
        "back: that the consumer has stopped.",
        'Put pairs into `queue.Queue(depth)`: `("item", item)`, `("end", None)`, `("fault", '
        "exception)`. Around the consumer's loop goes `try: ... finally:`, which also runs when "
        "the generator is closed. There, set a `threading.Event`, at which the thread looks "
        "between items, and take from the queue until its last word has come.",
        'In the thread: `try: for item in source: box.put(("item", item))`, then `if '
        "stop.is_set(): break`; `except BaseException as fault`, which is every type there is, "
        'keeps `("fault", fault)` as the last word instead of `("end", None)`; it is put in any '
        'case. In the consumer: `while (got := box.get())[0] == "item": yield got[1]`; `finally: '
        'stop.set()` and `while got[0] == "item": got = box.get()`. Then raise a fault.',
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "prefetch": Prediction(
            "while the thread of the draft reads, the source raises an exception. What does the "
            "training loop get?",
            truth="nothing, for ever",
            choices=("the exception", "an early end", "nothing, for ever"),
            because="The exception ends the thread, and only the thread. The loop waits in `get` "
            "for an item that nobody will put in.",
        )
    },
)
