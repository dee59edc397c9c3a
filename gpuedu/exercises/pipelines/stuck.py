"""Who waits for whom in a schedule that cannot go on, in one line, and what to ask about it."""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.exercises.pipelines.pipeline_runs import PipelineRun, Wait

_ASKS_OF_SELF = "What does a backward pass need that only its own forward pass leaves?"
_ASKS_OF_OWN_CHUNK = (
    "After how many micro-batches does this stage change its chunk, and does it go forward in that "
    "chunk before it goes backward?"
)
_ASKS_OF_MISSING = "Which entry is missing from that stage's list?"
_ASKS_OF_CIRCLE = "Which of these stages could do something else first, so that another can go on?"
_TOLD = 2
"""Of the stages of a circle."""


def chain_of(run: PipelineRun) -> list[Wait]:
    """Waits that end in a circle, or in one for what nobody will do; each is for the next one."""
    path: list[Wait] = []
    stage = min(run.waits)
    while stage in run.waits and stage not in [one.stage for one in path]:
        path.append(run.waits[stage])
        stage = path[-1].on
    starts = [one.stage for one in path]
    return path[starts.index(stage) :] if stage in starts else path[-1:]


def tell_stuck(run: PipelineRun, chunks: int = 1) -> tuple[str, str]:
    """A sentence about stages that wait forever, and a question.

    >>> from gpuedu.exercises.pipelines.pipeline_runs import run_lists
    >>> from gpuedu.exercises.pipelines.schedules import Action
    >>> print(tell_stuck(run_lists([[Action("backward", 0), Action("forward", 0)]]))[0])
    stage 0 comes to the backward of micro-batch 0 before its own forward
    """
    chain = chain_of(run)
    first, last = chain[0], chain[-1]
    if first.on == first.stage:
        told = f"stage {first.stage} comes to {first.action.told(chunks)} before its own forward"
        return told, _ASKS_OF_SELF if chunks == 1 else _ASKS_OF_OWN_CHUNK
    told = _tell(chain[:_TOLD], chunks)
    if last.on not in run.waits:
        return f"{told}, which has come to the end of its list", _ASKS_OF_MISSING
    if len(chain) > _TOLD:
        told += f", and so on, back to stage {last.on}"
    return told, _ASKS_OF_CIRCLE


def _tell(chain: Sequence[Wait], chunks: int) -> str:
    waits = [f"waits for {one.needs.told(chunks)} from stage {one.on}" for one in chain]
    return f"stage {chain[0].stage} {', which '.join(waits)}"
