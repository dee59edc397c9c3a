"""streams: a pipeline of chunks that overlaps copies and kernels, without a race."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.feed_the_gpu.streams.judge.delays import needless_wait
from gpuedu.exercises.feed_the_gpu.streams.pipelines import (
    LAUNCH_S,
    Work,
    chunk_bytes,
    result_bytes,
    some_values,
)
from gpuedu.units import MB, MS

_SAVED = 0.9
"""What must be saved of the time that overlap can save. Two buffers with events reach all of it
but some launches; a stream for each of two chunks, without events, at most 0.75 of it where the
three stages are alike."""
_PROPERTIES = ("results", "order", "reuse", "returned", "host-free", "two-buffers", "overlap")


def cases(rng: np.random.Generator) -> list[Case]:
    """Each engine as the busiest, all nearly alike, and few chunks."""
    kinds = (
        ("three stages nearly alike", 12, (20, 20), (22, 22), (21, 21)),
        ("much like each other", 15, (19, 21), (22, 24), (17, 19)),
        ("a long kernel", 8, (8, 12), (40, 50), (8, 12)),
        ("a long way in", 9, (40, 50), (8, 14), (8, 12)),
        ("a long way back", 8, (8, 12), (8, 14), (40, 50)),
    )
    drawn = [_case(rng, *kind, decides=_PROPERTIES) for kind in kinds]
    few = tuple(name for name in _PROPERTIES if name != "overlap")
    for chunks in (1, 2, 3):
        drawn.append(_case(rng, "few", chunks, (10, 20), (10, 20), (10, 20), decides=few))
    return drawn


def _case(
    rng: np.random.Generator,
    label: str,
    chunks: int,
    *stages: tuple[int, int],
    decides: tuple[str, ...],
) -> Case:
    up_s, run_s, down_s = (
        round(int(rng.integers(low, high + 1)) * 1e-4, 6) for low, high in stages
    )
    inputs = {
        "values": some_values(rng, chunks),
        "up_s": up_s,
        "run_s": run_s,
        "down_s": down_s,
    }
    times = " + ".join(f"{time_s / MS:.3g}" for time_s in (up_s, run_s, down_s))
    told = f"{label}: {chunks} chunk{'' if chunks == 1 else 's'} of {times} ms"
    return Case(told, inputs, decides)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Results first: where some are missing, the rest says nothing."""
    work = Work(len(case.inputs["values"]), *(case.inputs[n] for n in ("up_s", "run_s", "down_s")))
    wrong = list(_judge_results(case, observed))
    if wrong:
        for name in case.decides:
            yield (
                wrong[0]
                if name == "results"
                else Undecided(name, f"not judged: {wrong[0].message}")
            )
        return
    yield from _judge_races(observed)
    if work.chunks > 1 and observed["is_on_one_stream"]:
        for name in ("order", "reuse"):
            yield Undecided(name, "all is on one stream, so nothing has to wait for anything else")
    yield from _judge_host(observed)
    yield from _judge_memory(work, observed)
    if "overlap" in case.decides:
        yield from _judge_overlap(work, observed)


def _judge_results(case: Case, observed: Plain) -> Iterable[Fault]:
    values = [2 * value + 1 for value in case.inputs["values"]]
    for i, (got, expected) in enumerate(zip(observed["got"], values, strict=True)):
        if got is not None and np.array_equal(got, expected):
            continue
        owners = [j for j, other in enumerate(values) if np.array_equal(got, other)]
        holds = f"what belongs to result {owners[0]}" if owners else "something else"
        told = "is empty" if got is None else f"holds {holds}"
        yield Fault("results", f"result {i} of {len(values)} {told}")
        return
    for i, came_through in enumerate(observed["came_through"]):
        if not came_through:
            yield Fault(
                "results",
                f"result {i} of {len(values)} is right, but its chunk did not go to the device, "
                "through the kernel and back into it",
            )
            return


def _judge_races(observed: Plain) -> Iterable[Fault]:
    for prop, (told, buffer, first) in zip(observed["races"], observed["told"], strict=True):
        if prop == "returned":
            yield Fault(prop, f"the host reads {buffer!r} while it may still be written: {told}")
        elif prop == "order":
            asks = f"Which event is recorded on {first} after what writes {buffer!r}, and which "
            yield Fault(prop, told, f"{asks}stream waits for it before it reads?")
        else:
            yield Fault(prop, told, f"Which event says that {first} no longer needs {buffer!r}?")


def _judge_host(observed: Plain) -> Iterable[Fault]:
    waited_s = observed["issued_s"] - observed["launching_s"]
    if waited_s > LAUNCH_S:
        yield Fault(
            "host-free",
            f"the host waited {waited_s / MS:.3g} ms before it had issued everything",
        )


def _judge_memory(work: Work, observed: Plain) -> Iterable[Fault]:
    pair = chunk_bytes(work) + result_bytes(work)
    if observed["device_bytes"] > 2 * pair:
        yield Fault(
            "two-buffers",
            f"{observed['device_bytes'] / MB:.4g} MB were allocated on the device; two chunks and "
            f"two results are {2 * pair / MB:.4g} MB",
        )


def _judge_overlap(work: Work, observed: Plain) -> Iterable[Fault | Undecided]:
    took = f"it takes {observed['end_s'] / MS:.4g} ms"
    if any(prop != "returned" for prop in observed["races"]):
        yield Undecided("overlap", f"{took}, with a race: a time that means nothing")
        return
    saved = (work.in_turn_s - observed["end_s"]) / (work.in_turn_s - work.best_s)
    if saved < _SAVED:
        waits = needless_wait(observed["stages"])
        yield Fault(
            "overlap",
            f"{took}; one after the other it is {work.in_turn_s / MS:.4g} ms, and "
            f"{work.best_s / MS:.4g} ms can be reached" + (f"; {waits}" if waits else ""),
        )


JUDGE = Judge(
    title="Copy while it computes",
    properties=(
        Property(
            "results",
            "every chunk goes through the kernel into its result",
            1,
            asks="Which buffers do copy, kernel and copy back of this chunk use?",
        ),
        Property(
            "order",
            "everything is written before it is read: no stream runs ahead",
            1,
            asks="What must be written before it is read, and which stream waits for that?",
        ),
        Property(
            "reuse",
            "no buffer is overwritten while it may still be read",
            1,
            asks="Which stream waits until a buffer is no longer needed, before it is overwritten?",
        ),
        Property(
            "returned",
            "when the function returns, all results are there",
            1,
            asks="What must the host wait for, once, before it returns?",
        ),
        Property(
            "host-free",
            "the host waits for nothing until everything is issued",
            1,
            asks="What does the host wait for, and could a stream wait for it instead?",
        ),
        Property(
            "two-buffers",
            "at most two chunks and two results on the device",
            1,
            asks="Chunk i can use what chunk i - 2 used. When is that free?",
        ),
        Property(
            "overlap",
            "at least nine tenths of what overlap can save is saved",
            2,
            asks="Which engine is idle in the picture, and what is it waiting for?",
        ),
    ),
    hints=(
        "For each chunk, write down its three operations. For each of them, which operation of "
        "another stream must be done first? Remember the chunk that used the buffers before.",
        "Use a stream for each engine, two buffers x and two buffers y. The kernel waits for two "
        "things: its x is filled, and its y was copied back. The copy in waits until x has been "
        "read, the copy back until y has been written. Use an event for each of these, and for "
        "each buffer.",
        "With k = i % 2: `up.wait_event(used[k])`, copy, `filled[k].record(up)`; "
        "`run.wait_event(filled[k])`, `run.wait_event(saved[k])`, launch, `used[k].record(run)`; "
        "`down.wait_event(used[k])`, copy back, `saved[k].record(down)`. After the loop, "
        "`device.synchronize()`.",
    ),
    results=("results",),
    cases=cases,
    verdict=verdict,
    varies=("told",),
    predictions={
        "streams": Prediction(
            "five chunks each take 2 ms to the device, 3 ms in the kernel and 1 ms back. One after "
            "the other, that's 30 ms. What is the best you can do, with an engine for each?",
            truth=18.0,
            unit="ms",
            because="The kernels take 15 ms in any case. A chunk is copied in before the first "
            "one, "
            "which takes 2 ms, and a result back after the last one, 1 ms.",
        )
    },
)
