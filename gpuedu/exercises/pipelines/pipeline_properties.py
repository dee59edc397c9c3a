"""Properties of a pipeline's schedule that judge themselves: gradients, time and memory.

A case's inputs hold ``stages``, ``micro_batches`` and ``seed``, ``chunks`` where stages have any,
and ``costs``: how long forward and backward take. What is observed are the ``lists``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product

import numpy as np

from gpuedu.exercises.compare import array_fault, show
from gpuedu.exercises.contract import Case, Fault, Inputs, Plain, Property, Test, Undecided
from gpuedu.exercises.pipelines.pipeline_runs import Costs, PipelineRun, run_lists
from gpuedu.exercises.pipelines.pipeline_training import train_by, train_whole
from gpuedu.exercises.pipelines.schedules import KINDS, Action, Lists, from_plain
from gpuedu.exercises.pipelines.stuck import tell_stuck

_NEAR = 1e-9
"""How far gradients and times may be off, for rounding."""


def run_case(case: Case, observed: Plain) -> PipelineRun:
    """What comes of the lists of a case."""
    inputs = case.inputs
    costs = Costs(*inputs["costs"])
    return run_lists(from_plain(observed["lists"]), inputs.get("chunks", 1), costs)


def said_of(inputs: Inputs) -> str:
    """The case in words: "with 3 stages and 1 micro-batch"."""
    counts = [(inputs["stages"], "stage"), (inputs["micro_batches"], "micro-batch")]
    if "chunks" in inputs:
        counts.insert(1, (inputs["chunks"], "chunk"))
    told = [f"{n} {what}{'' if n == 1 else 'es' if what[-1] == 'h' else 's'}" for n, what in counts]
    return f"with {', '.join(told[:-1])} and {told[-1]}"


def trains(points: float, *, asks: str) -> Property:
    """Trained by the lists, the model's parts have the gradients of one process."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        wrong = list(_faults_of_order(case, observed))
        yield from wrong
        if not wrong:
            yield from _faults_of_gradients(case, observed)

    says = "trained by your lists, every stage has the gradients of one process"
    return Property("gradients", says, points, asks, test)


def after_order(name: str, test: Test) -> Test:
    """The same test, undecided where the lists cannot be done, or not do what they should."""

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        if any(_faults_of_order(case, observed)):
            yield Undecided(name, f"{said_of(case.inputs)}, the lists do not train yet")
        else:
            yield from test(case, observed)

    return tested


def takes(points: float, says: str, time_of: Callable[[Inputs], float], *, asks: str) -> Property:
    """The whole takes as long as a formula says."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        took, best = run_case(case, observed).time, time_of(case.inputs)
        if took > best * (1 + _NEAR):
            forward, backward = map(show, case.inputs["costs"])
            yield Fault(
                "time",
                f"{said_of(case.inputs)}, f = {forward} and b = {backward}, it takes "
                f"{show(took)} instead of {show(best)}",
            )

    return Property("time", says, points, asks, after_order("time", test))


def keeps(
    points: float, says: str, most_of: Callable[[Inputs, int], int], *, asks: str
) -> Property:
    """No stage keeps the activations of more micro-batches than it needs to.

    Args:
        points: of the property.
        says: the property's line on the card.
        most_of: how many a stage may keep at once, of a case's inputs and the stage.
        asks: the question below a counterexample.
    """

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        run = run_case(case, observed)
        for stage in range(run.stages):
            kept, most = run.most_kept(stage), most_of(case.inputs, stage)
            if kept > most:
                message = f"{said_of(case.inputs)}, stage {stage} keeps {kept} at once, not {most}"
                yield Fault("memory", message)
                return

    return Property("memory", says, points, asks, after_order("memory", test))


def _faults_of_order(case: Case, observed: Plain) -> Iterator[Fault]:
    """The first action that is missing or too much, or who waits for whom."""
    lists, chunks = from_plain(observed["lists"]), case.inputs.get("chunks", 1)
    wrong = list(islice(_miscounted(lists, case.inputs["micro_batches"], chunks), 1))
    if wrong:
        yield Fault("gradients", f"{said_of(case.inputs)}, {wrong[0]}")
        return
    run = run_lists(lists, chunks)
    if run.waits:
        told, asks = tell_stuck(run, chunks)
        yield Fault("gradients", f"{said_of(case.inputs)}, {told}", asks)


def _miscounted(lists: Lists, micro_batches: int, chunks: int) -> Iterator[str]:
    """Actions that a stage does not do exactly once."""
    for stage, actions in enumerate(lists):
        for action in actions:
            if not 0 <= action.micro_batch < micro_batches:
                what = f"micro-batch {action.micro_batch}; the last one is {micro_batches - 1}"
                yield f"stage {stage} goes {action.kind} with {what}"
            if not 0 <= action.chunk < chunks:
                yield f"stage {stage} has no chunk {action.chunk}; the last one is {chunks - 1}"
        counts = Counter(actions)
        for kind, number, chunk in product(KINDS, range(micro_batches), range(chunks)):
            many = counts[Action(kind, number, chunk)]
            if many != 1:
                where = f" in chunk {chunk}" if chunks > 1 else ""
                often = f"{many} times" if many else "never"
                yield f"stage {stage} {often} goes {kind} with micro-batch {number}{where}"


def _faults_of_gradients(case: Case, observed: Plain) -> Iterator[Fault]:
    inputs = case.inputs
    stages, chunks = inputs["stages"], inputs.get("chunks", 1)
    count, seed = inputs["micro_batches"], inputs["seed"]
    got = train_by(run_case(case, observed).steps, stages, chunks, count, seed)
    for part, (one, wanted) in enumerate(
        zip(got, train_whole(stages * chunks, count, seed), strict=True)
    ):
        room = _NEAR * (1 + np.abs(wanted))
        name = f"gradient of part {part}"
        yield from array_fault("gradients", one, wanted, tolerance=room, name=name)
