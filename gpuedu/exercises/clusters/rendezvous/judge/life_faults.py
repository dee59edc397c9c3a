"""What is wrong with lives of a training: where each begins, what it trains and saves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from gpuedu.exercises.clusters.rendezvous.elastic_job import NEAR
from gpuedu.exercises.clusters.rendezvous.judge.life_story import Story
from gpuedu.exercises.contract import Fault

_SHOWN = 6


def start_faults(story: Story) -> Iterator[Fault]:
    """A rank that begins a life with another state than was saved last."""
    kept: np.ndarray | None = None
    for life in range(story.lived):
        for number, rank, kind, _, state in story.states:
            if number != life or kind != "start":
                continue
            wanted = story.alone.states[0] if kept is None else kept
            if not np.abs(state - wanted).max() <= NEAR:
                yield Fault(
                    "start", _told_start(story, life, rank, state, has_saved=kept is not None)
                )
                return
        saved = [one[4] for one in story.states if one[0] == life and one[2] == "save"]
        kept = saved[-1] if saved else kept


def _told_start(story: Story, life: int, rank: int, state: np.ndarray, *, has_saved: bool) -> str:
    where = f"{story.named(life)}: rank {rank} starts from"
    saved = story.alone.trained(story.begins_after(life))
    wanted = (
        f"the state after {saved} samples, which was saved last" if has_saved else "a new model"
    )
    same = [at for at, one in enumerate(story.alone.states) if np.abs(one - state).max() <= NEAR]
    if same:
        got = (
            f"the state after {story.alone.trained(same[0])} samples" if same[0] else "a new model"
        )
        return f"{where} {got}, not from {wanted}"
    return f"{where} a different state than {wanted}"


def order_faults(story: Story) -> Iterator[Fault]:
    """Steps whose samples are not the next global batch, and a run that goes on past its end."""
    batches = story.alone.batches
    for life in range(story.lived):
        first, steps = story.begins_after(life), story.steps(life)
        for step in range(steps):
            where = f"{story.named(life)}, step {step + 1}"
            got = story.batch(life, step)
            if first + step >= len(batches):
                yield Fault(
                    "goes-on", f"{where}: the run was complete, and it trained {_list(got)}"
                )
                return
            wanted = batches[first + step]
            if sorted(got) != sorted(wanted):
                done = story.alone.trained(first + step)
                told = f"{where}, after {done} samples of the run: {_difference(got, wanted)}"
                yield Fault("goes-on", told)
                return
        if story.is_whole(life) and first + steps < len(batches):
            done, total = (story.alone.trained(at) for at in (first + steps, len(batches)))
            told = f"{story.named(life)}: `train` returns after {done} of {total} samples"
            yield Fault("goes-on", told)
            return


def _difference(got: Sequence[int], wanted: Sequence[int]) -> str:
    if not got:
        return f"no rank trained any sample of the batch {_list(wanted)}"
    twice = [one for one, count in Counter(got).items() if count > 1]
    missing = [one for one in wanted if one not in got]
    extra = [one for one in got if one not in wanted]
    if extra and missing:
        told = f"the ranks trained {_list(sorted(got))}"
        return f"{told}; the next global batch is {_list(sorted(wanted))}"
    told = [f"{_name(missing)} not trained"] if missing else []
    told += [f"{_name(twice)} trained twice"] if twice else []
    told += [f"{_name(extra)} trained, and not in this batch"] if extra else []
    return "; ".join(told)


def save_faults(story: Story, every: int) -> Iterator[Fault]:
    """Checkpoints by another rank than 0, too late, too early, or none at the end."""
    batches = story.alone.batches
    for life in range(story.lived):
        saves = story.of_life(life, "save")
        others = [act for act in saves if act.rank]
        if others:
            told = f"{story.named(life)}: rank {others[0].rank} wrote a checkpoint"
            both = any((act.rank, act.step) == (0, others[0].step) for act in saves)
            yield Fault("saves", told + (", and so did rank 0" if both else ""))
            return
        first = story.begins_after(life)
        since, found = 0, [act.step for act in saves]
        for step in range(min(_went_on(story, life), len(batches) - first)):
            since += len(batches[first + step])
            is_due = since >= every or first + step + 1 == len(batches)
            count = found.count(step + 1)
            if count != is_due:
                done = story.alone.trained(first + step + 1)
                end = ", the end of the run" if first + step + 1 == len(batches) else ""
                how = "none" if count == 0 else "one" if count == 1 else f"{count} of them"
                yield Fault(
                    "saves",
                    f"with a checkpoint every {every} samples, {story.named(life)}: after {done} "
                    f"samples{end}, {since} after the last checkpoint, there is {how}",
                )
                return
            since = 0 if is_due else since
    again = [act for act in story.acts if act.kind == "save" and not act.step]
    if again:
        told = "wrote a checkpoint before it had trained anything"
        yield Fault("saves", f"{story.named(again[0].life)}: rank {again[0].rank} {told}")


def _went_on(story: Story, life: int) -> int:
    """After how many steps rank 0 has shown whether it saves: it did something else then."""
    own = [act for act in story.of_life(life, "gradient", "step", "end") if act.rank == 0]
    return max((act.step for act in own), default=0)


def weight_faults(story: Story) -> Iterator[Fault]:
    """States in checkpoints and at the end that are not those of one process."""
    states = story.alone.states
    for life, rank, kind, step, state in story.states:
        at = story.begins_after(life) + step
        if kind == "start" or at >= len(states):
            continue
        off = float(np.abs(state - states[at]).max())
        if not off <= NEAR:
            where = f"{story.named(life)}, after {story.alone.trained(at)} samples of the run"
            told = f"{where}: weights and momentum of rank {rank} are off by up to {off:.2g}"
            yield Fault("equal", f"{told} from those of one process")
            return


def _list(samples: Sequence[int]) -> str:
    told = ", ".join(map(str, samples[:_SHOWN]))
    return f"[{told}{', ...' if len(samples) > _SHOWN else ''}]"


def _name(samples: Sequence[int]) -> str:
    return f"sample {samples[0]} was" if len(samples) == 1 else f"samples {_list(samples)} were"
