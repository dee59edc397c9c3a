"""honest-timer: time a kernel on an asynchronous device.

The verdict reads the trace of the simulated device: when the clock was read, when the host waited,
what ran on the device at those moments. So each property is judged by itself, and the numbers that
the learner's own watch saw are on the card.
"""

from __future__ import annotations

import statistics
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from gpuedu.exercises.compare import is_close
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Property, Undecided
from gpuedu.units import format_time

_MANY = 12
Events = Sequence[tuple[str, float, float]]


@dataclass(frozen=True)
class WatchedLaunch:
    """One launch with its watch: the readings around it, and what went on at them.

    The watch starts with the last reading before the launch. It stops with the first one after a
    wait, or else after the launch, and before the reading that starts the next watch.

    ``busy_s`` is how long the device still had earlier work when the watch started; ``waited`` says
    whether the host waited between the launch and the reading that stopped the watch; ``others`` is
    the number of launches between the reading that started the watch and this launch.
    """

    start_s: float
    stop_s: float
    busy_s: float
    waited: bool
    kernel_s: float
    others: int

    @property
    def time_s(self) -> float:
        """What the watch showed."""
        return self.stop_s - self.start_s


def watched_launches(events: Events) -> list[WatchedLaunch | None]:
    """For each launch in turn its watch, or None where no clock was read around it."""
    kernels = [(start, end) for kind, start, end in events if kind == "kernel"]
    done_s = list(accumulate((end for _, end in kernels), max, initial=0.0))
    launches, nows, syncs = (_places(events, kind) for kind in ("launch", "now", "sync"))
    earlier = len(kernels) - len(launches)  # what was queued before the learner's code ran
    found: list[WatchedLaunch | None] = []
    for number, (place, following) in enumerate(pairwise([*launches, len(events)])):
        stop = _stop(nows, syncs, place, following if following < len(events) else None)
        read = bisect_left(nows, place)
        if not read or stop is None:
            found.append(None)
            continue
        start = nows[read - 1]
        start_s, stop_s = events[start][2], events[stop][2]
        before_it = bisect_left(launches, start)
        kernel_start_s, kernel_end_s = kernels[earlier + number]
        found.append(
            WatchedLaunch(
                start_s,
                stop_s,
                max(done_s[earlier + before_it] - start_s, 0.0),
                bool(_between(syncs, place, stop)),
                kernel_end_s - kernel_start_s,
                number - before_it,
            )
        )
    return found


def _places(events: Events, wanted: str) -> list[int]:
    return [place for place, (kind, _, _) in enumerate(events) if kind == wanted]


def _between(places: Sequence[int], first: int, end: int | None) -> Sequence[int]:
    """Of places in their order those from ``first`` on, before ``end``.

    A trace may have ten thousand events: nobody goes through all of it for each of them.
    """
    return places[bisect_left(places, first) : None if end is None else bisect_left(places, end)]


def late_times_s(events: Events) -> list[float | None]:
    """For each launch what a watch shows that starts after it and stops after the next wait.

    None where the two readings are missing.
    """
    launches, nows, syncs = (_places(events, kind) for kind in ("launch", "now", "sync"))
    found: list[float | None] = []
    for place, following in pairwise([*launches, len(events)]):
        readings = _between(nows, place, following)
        stops = _waited(readings, syncs, readings[0]) if readings else []
        found.append(events[stops[0]][2] - events[readings[0]][2] if stops else None)
    return found


def _stop(
    nows: Sequence[int], syncs: Sequence[int], launch: int, following: int | None
) -> int | None:
    """The reading that stops the watch around a launch; ``following`` is the place of the next one.

    Others may lie between the launch and its wait, or after that.
    """
    own = _between(nows, launch, following)
    if following is not None and len(own) > 1:
        own = own[:-1]  # the last one starts the next watch
    return next(iter(_waited(own, syncs, launch) or own or _first(nows, launch)), None)


def _waited(nows: Sequence[int], syncs: Sequence[int], since: int) -> Sequence[int]:
    """Of some readings those before which the host waited."""
    wait = _first(syncs, since)
    return _between(nows, wait[0], None) if wait else []


def _first(places: Sequence[int], since: int) -> Sequence[int]:
    at = bisect_left(places, since)
    return places[at : at + 1]


def cases(rng: np.random.Generator) -> list[Case]:
    """Warm-ups that are slow, few or many; a busy device; outliers; few repeats and many."""
    drawn = []
    for warmup, repeats, busy in (
        (3, 7, True),
        (0, 5, True),
        (1, 6, True),
        (2, 1, False),
        (2, 8, False),  # an even number that is no multiple of 3
        (_MANY, 4, True),
    ):
        slow = rng.uniform(20e-3, 60e-3, warmup)
        usual = rng.uniform(1e-3, 1.9e-3, repeats)
        usual[rng.permutation(repeats)[: repeats // 4]] *= 9
        inputs = {
            "warmup": warmup,
            "repeats": repeats,
            "busy_s": float(rng.uniform(70e-3, 90e-3)) if busy else 0.0,
            "launch_s": float(rng.uniform(4e-6, 9e-6)),
            "kernel_times_s": [*slow.tolist(), *usual.tolist()],
        }
        before = ", a device that is busy with earlier work" if busy else ""
        decides = ("warm-up",) if warmup == _MANY else ()  # too few leave nothing else to judge
        drawn.append(Case(f"warmup = {warmup}, repeats = {repeats}{before}", inputs, decides))
    return drawn


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """What the trace shows of the properties that the case decides."""
    for fault in _faults(case, observed):
        if fault.property in case.decides or not case.decides:
            yield fault


def _faults(case: Case, observed: Plain) -> Iterable[Fault]:
    """Each property from the trace; without any reading of the clock, none can hold."""
    events = observed["events"]
    if not any(kind == "now" for kind, _, _ in events):
        yield Fault("median", "it never read the clock that it was given")
        for name in ("warm-up", "waits", "idle-start"):
            yield Undecided(name, "the clock that it was given was never read")
        return
    watches = watched_launches(events)
    warmup, repeats = case.inputs["warmup"], case.inputs["repeats"]
    timed = [watch for watch in watches[warmup:] if watch is not None]
    if len(watches) != warmup + repeats:
        said = f"it launched {len(watches)} kernels, expected {warmup} + {repeats}"
        yield Fault("warm-up", said)
    late = [time_s for time_s in late_times_s(events)[warmup:] if time_s is not None]
    if late and is_close(observed["time_s"], statistics.median(late), 1e-6):
        yield Fault("idle-start", "the watch started after the launch, not just before it")
        return
    if not timed:
        after = f" after the first {warmup}, which should be the warm-up," if warmup else ""
        yield Fault("median", f"no launch{after} lies between two readings of the clock")
        for name in ("waits", "idle-start"):
            yield Undecided(name, "no repeat was timed")
        return
    yield from _watch_faults(timed)
    yield from _result_faults(case, observed["time_s"], watches, timed)


def _watch_faults(timed: Sequence[WatchedLaunch]) -> Iterable[Fault]:
    """The first watch that was stopped too early, and the first that was started so."""
    if timed[0].others:
        yield Fault(
            "warm-up", "the watch of the first repeat started before a launch of the warm-up"
        )
    early = next((watch for watch in timed if not watch.waited), None)
    if early:
        yield Fault(
            "waits",
            f"the watch stopped after {format_time(early.time_s)}, the kernel took "
            f"{format_time(early.kernel_s)}",
        )
    # A hundredth of a kernel is far above rounding and far below any earlier work.
    busy = next((watch for watch in timed if watch.busy_s > watch.kernel_s / 100), None)
    if busy:
        yield Fault(
            "idle-start",
            f"when the watch started, the device had earlier work for another "
            f"{format_time(busy.busy_s)}",
        )
    elif len({watch.start_s for watch in timed}) < len(timed):
        yield Undecided("idle-start", "one watch is around several launches")


def _result_faults(
    case: Case, got: float, watches: Sequence[WatchedLaunch | None], timed: Sequence[WatchedLaunch]
) -> Iterable[Fault]:
    """The median of what the watch showed in the repeats, and in those alone."""
    repeats = case.inputs["repeats"]
    everything = [watch.time_s for watch in watches if watch is not None]
    expected = statistics.median(watch.time_s for watch in timed)
    returned, middle = _told_apart(got, expected)
    returned = f"it returned {returned}"
    if repeats > 1 and len({watch.start_s for watch in timed}) == 1:
        yield Fault("median", f"{returned}, from one watch around all {repeats} repeats")
    elif is_close(got, expected, 1e-6):
        return
    elif len(everything) > len(timed) and is_close(got, statistics.median(everything), 1e-6):
        yield Fault(
            "warm-up",
            f"{returned}: the median with {len(everything) - len(timed)} slow warm-up launches in "
            f"it. Without them it is {middle}",
        )
    else:
        said = f"the median of what your watch showed is {middle}"
        yield Fault("median", f"{returned}; {said}")


def _told_apart(got: float, expected: float) -> tuple[str, str]:
    """Two times with as many digits as it takes to see that they differ."""
    told = format_time(got), format_time(expected)
    return told if told[0] != told[1] else (f"{got:.12g} s", f"{expected:.12g} s")


JUDGE = Judge(
    title="A timer that tells the truth about a GPU",
    properties=(
        Property(
            "warm-up",
            "the warm-up runs first and is left out",
            1,
            "How many launches are there in all, and which of their times does the result come "
            "from?",
        ),
        Property(
            "waits",
            "waits for the device before it stops the watch",
            1,
            "A launch only puts the kernel into a queue. What makes the host wait until it is "
            "done?",
        ),
        Property(
            "idle-start",
            "starts the watch on an idle device",
            1,
            "What must be true of the device before the first reading?",
        ),
        Property(
            "median",
            "returns the median of the repeats, in seconds",
            1,
            "Which clock is read, around which launches, and what is made of those times?",
        ),
    ),
    hints=(
        "`launch()` returns right away, long before the kernel is done. Which call returns "
        "only when the device has nothing left to do?",
        "A repeat has five steps: wait, read the clock, launch, wait, read the clock. The warm-up "
        "launches come before all of it and no clock is read there.",
        "One loop of `warmup` launches. One loop of `repeats`: `sync()`, `start = now()`, "
        "`launch()`, `sync()`, and `now() - start` goes into a list. What do you return?",
    ),
    cases=cases,
    verdict=verdict,
)
