"""What comes of a schedule: when each stage does what, what it keeps, and who waits for whom.

A stage starts an action as soon as it is free and has what it needs: the forward pass needs what
the part before it computed, the backward pass its own forward pass and the gradient of the part
after it. It neither skips nor swaps actions. A message costs a time, but keeps nobody busy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuedu.exercises.pipelines.schedules import BACKWARD, FORWARD, Action, Lists


@dataclass(frozen=True)
class Costs:
    """How long a stage takes for one micro-batch, all its chunks together, and a message."""

    forward: float = 1.0
    backward: float = 2.0
    message: float = 0.0


@dataclass(frozen=True)
class Step:
    """One action, done by a stage from ``start`` to ``end``."""

    stage: int
    action: Action
    start: float
    end: float


@dataclass(frozen=True)
class Wait:
    """A stage at an action that needs another one, which the stage ``on`` does not come to."""

    stage: int
    action: Action
    needs: Action
    on: int


@dataclass(frozen=True)
class PipelineRun:
    """Steps, in an order in which they can be done, and by stage who waits forever."""

    stages: int
    steps: tuple[Step, ...]
    waits: dict[int, Wait]

    @property
    def time(self) -> float:
        """When the last step ends."""
        return max((one.end for one in self.steps), default=0.0)

    def of_stage(self, stage: int) -> list[Step]:
        """The steps of a stage, in order."""
        return [one for one in self.steps if one.stage == stage]

    def idle_share(self, stage: int) -> float:
        """The share of the time in which a stage does nothing."""
        busy = sum(one.end - one.start for one in self.of_stage(stage))
        return 1 - busy / self.time if self.time else 0.0

    def most_kept(self, stage: int) -> int:
        """The most micro-batches that a stage keeps the activations of at once, by chunk."""
        most = kept = 0
        for one in self.of_stage(stage):
            kept += 1 if one.action.kind == FORWARD else -1
            most = max(most, kept)
        return most


def run_lists(lists: Lists, chunks: int = 1, costs: Costs | None = None) -> PipelineRun:
    """Do what the lists say.

    Args:
        lists: the actions of each stage. Chunk c of stage s is part ``c * stages + s`` of the
            model.
        chunks: of each stage.
        costs: times; a chunk takes its share.
    """
    stages, costs = len(lists), costs or Costs()
    took = {FORWARD: costs.forward / chunks, BACKWARD: costs.backward / chunks}
    done: dict[tuple[int, Action], float] = {}
    steps: list[Step] = []
    free, at = [0.0] * stages, [0] * stages
    waits: dict[int, Wait] = {}
    moves = True
    while moves:
        moves = False
        for stage, actions in enumerate(lists):
            while at[stage] < len(actions):
                action = actions[at[stage]]
                needs = list(_needs(stage, action, stages, chunks))
                missing = next((one for one in needs if one not in done), None)
                if missing is not None:
                    waits[stage] = Wait(stage, action, missing[1], missing[0])
                    break
                ready = [done[one] + costs.message * (one[0] != stage) for one in needs]
                start = max([free[stage], *ready])
                free[stage] = start + took[action.kind]
                done.setdefault((stage, action), free[stage])
                steps.append(Step(stage, action, start, free[stage]))
                waits.pop(stage, None)
                at[stage] += 1
                moves = True
    return PipelineRun(stages, tuple(steps), waits)


def _needs(stage: int, action: Action, stages: int, chunks: int) -> Iterator[tuple[int, Action]]:
    """What has to be done before, and by which stage."""
    is_forward = action.kind == FORWARD
    if not is_forward:
        yield stage, action._replace(kind=FORWARD)
    part = action.chunk * stages + stage + (-1 if is_forward else 1)
    if 0 <= part < stages * chunks:
        chunk, other = divmod(part, stages)
        yield other, action._replace(chunk=chunk)
