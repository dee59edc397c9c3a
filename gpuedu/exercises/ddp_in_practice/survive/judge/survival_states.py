"""Where a training went on after a death, and with what, against the unbroken run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuedu.exercises.contract import Fault, Undecided
from gpuedu.exercises.ddp_in_practice.survive.interrupted_job import Shape
from gpuedu.exercises.ddp_in_practice.survive.survival_runs import RANKS
from gpuedu.exercises.ddp_in_practice.survive.survival_story import Story, is_half_a_file


def _nothing_saved(story: Story, prop: str, why: str = "") -> Fault:
    """No file of `torch.save`; what was put into memory first is not followed from there."""
    if story.of("unbroken", "memory"):
        told = "`torch.save` wrote into memory, and into no file, so this says nothing yet"
        return Undecided(prop, told)
    return Fault(prop, "nothing was saved before a rank was killed", why)


def place_faults(story: Story, shape: Shape) -> Iterable[Fault]:
    """Steps of the unbroken run, then of each attempt behind a death, on every rank."""
    wanted = list(range(shape.all_steps))
    for rank in range(RANKS):
        found = story.steps("unbroken", rank)
        if found != wanted:
            at = next(
                (i for i, (a, b) in enumerate(zip(found, wanted, strict=False)) if a != b),
                len(found),
            )
            told = f"without any death, rank {rank} starts {len(found)} of {len(wanted)} steps"
            if at < len(found):
                told = f"without any death, rank {rank} trains step {found[at] + 1}, and "
                told += f"{at + 1} is due"
            yield Fault("place", told, "Every batch of every epoch, in order.")
            return
    kept = story.last_checkpoint(1)
    if kept is None:
        why = "When is a checkpoint due, and into which file is it saved?"
        yield _nothing_saved(story, "place", why)
        return
    for rank in range(RANKS):
        found = story.steps("broken", rank, 1)
        if found[:1] != [kept]:
            yield _misplaced(story, shape, rank, kept, found[0] if found else shape.all_steps)
            return
        goes_on = list(range(kept, kept + len(found)))
        if found != goes_on:
            told = f"after it was started again, rank {rank} trains {_from_1(found)}..."
            yield Fault("place", told, f"Expected {_from_1(goes_on)}...: one batch after another.")
            return


def _from_1(steps: Sequence[int]) -> list[int]:
    return [step + 1 for step in steps[:6]]


def _misplaced(story: Story, shape: Shape, rank: int, kept: int, first: int) -> Fault:
    death = story.death(0)
    died = death["step"] if death else kept
    told = (
        f"a rank was killed in step {died + 1}, and the last checkpoint was after step {kept}; "
        f"rank {rank} goes on with step {first + 1}, expected {kept + 1}"
    )
    epoch = kept // shape.steps
    causes = {
        died: "Nobody saved there. The weights are older than that.",
        0: "It starts from the beginning. Does `train_job` look for the checkpoint, and where?",
        epoch * shape.steps: "That is the start of the epoch: its first batches come twice. Which "
        "batch of it is next?",
        (epoch + 1) * shape.steps: "That is the next epoch: the rest of this one is left out.",
        kept - 1: "One batch comes twice: which number was in your checkpoint, and was the step "
        "counted by then?",
        kept + 1: "One batch is left out. What is your number: how many steps are done, or the "
        "number of the last one?",
    }
    return Fault("place", told, causes.get(first, ""))


def state_faults(story: Story) -> Iterable[Fault]:
    """With what the ranks began their first step behind the first death."""
    kept = story.last_checkpoint(1)
    if kept is None:
        yield _nothing_saved(story, "state")
        return
    for rank in range(RANKS):
        mine, true = story.first(1, rank), story.unbroken(rank, kept)
        fresh = story.unbroken(rank, 0)
        if mine is None or true is None or fresh is None:
            yield Fault("state", f"started again, rank {rank} trained nothing")
            return
        where = f"started again from the checkpoint after {kept} steps, rank {rank}"
        if mine["weights"] != true["weights"]:
            is_fresh = mine["weights"] == fresh["weights"]
            why = "They are the initial ones: this rank loaded none." if is_fresh else ""
            yield Fault("state", f"{where} has different weights than the unbroken run had", why)
        elif mine["momentum"] != true["momentum"]:
            is_fresh = mine["momentum"] == fresh["momentum"]
            why = (
                "The optimizer starts over, without momentum. What does it keep between two steps?"
                if is_fresh
                else "It has the momentum of another step."
            )
            yield Fault("state", f"{where} has a different momentum than the unbroken run had", why)
        elif (mine["rate"], mine["schedule"]) != (true["rate"], true["schedule"]):
            yield Fault(
                "state",
                f"{where} has a learning rate of {mine['rate']:.4g} and a schedule that has "
                f"counted {mine['schedule']} steps; in the unbroken run {true['rate']:.4g}, "
                f"{true['schedule']} steps",
                "The schedule counts steps by itself, and gives the *next* step its rate.",
            )
        else:
            continue
        return


def random_faults(story: Story) -> Iterable[Fault]:
    """Each rank's random state at its first step behind the first death."""
    kept = story.last_checkpoint(1)
    if kept is None:
        yield _nothing_saved(story, "random")
        return
    for rank in range(RANKS):
        mine, true = story.first(1, rank), story.unbroken(rank, kept)
        if mine is None or true is None:
            yield Fault("random", f"started again, rank {rank} trained nothing")
            return
        if mine["random"] != true["random"]:
            told = (
                f"started again, rank {rank} has a different random state than after {kept} steps "
                "of the unbroken run: its dropout draws different numbers"
            )
            yield Fault("random", told, _why_random(story, rank, kept, mine["random"]))
            return


def _why_random(story: Story, rank: int, kept: int, found: str) -> str:
    fresh, first = story.unbroken(rank, 0), story.unbroken(0, kept)
    if fresh and found == fresh["random"]:
        return "It starts from its seed again, and repeats what it drew in the first steps."
    if rank and first and found == first["random"]:
        return "It has rank 0's. Each rank draws its own numbers: who knows rank 1's?"
    return ""


def whole_faults(
    story: Story, failure: str, remedy: str, *, is_placed: bool = True
) -> Iterable[Fault]:
    """Where the ranks went on behind deaths within a write, and before a change of names.

    ``is_placed`` is whether they went on in the right step behind a death in a step: only then is
    it looked at here.
    """
    death = story.death(1)
    if death is None and story.of("unbroken", "memory"):
        yield _nothing_saved(story, "whole")
        return
    if death is None:
        yield Fault(
            "whole",
            "a rank was to be killed while it wrote, but no rank wrote a file with `torch.save`",
            "`torch.save(state, file)`, every `every` steps, also in a run that was started again.",
        )
        return
    hows = {2: "half of a file was written", 3: "a file had not got its name"}
    for attempt, how in hows.items():
        if story.death(attempt - 1) is None:
            return
        begun = f"rank {story.death(attempt - 1)['rank']} was killed when {how}"
        if failure and story.death(attempt) is None:
            half = "the file is half a file: " if is_half_a_file(failure) else ""
            why = remedy or _why_not_whole(story)
            yield Fault("whole", f"{half}{begun}; started again: {failure}", why)
            return
        told = _not_whole(story, attempt, is_placed)
        if told:
            yield Fault("whole", f"{begun}; started again, {told}", _why_not_whole(story))
            return


def _not_whole(story: Story, attempt: int, is_placed: bool) -> str:
    """What the ranks began with that is neither the checkpoint before a death nor the one in it."""
    kept, weights = story.last_checkpoint(attempt), story.weights_of_checkpoint(attempt)
    fatal = story.death(attempt - 1)["step"] + 1
    firsts = [story.first(attempt, rank) for rank in range(RANKS)]
    if any(one is None for one in firsts):
        return f"the ranks did not start from the checkpoint before it, after {kept} steps"
    for one in firsts:
        new = story.unbroken(one["rank"], fatal)
        if new and (one["step"], one["weights"]) == (fatal, new["weights"]):
            continue  # what was killed came after a checkpoint that was whole
        if one["weights"] != weights:
            return f"the ranks did not start from the checkpoint before it, after {kept} steps"
        if is_placed and one["step"] != kept:
            told = f"rank {one['rank']} has the weights of the checkpoint after {kept} steps"
            return f"{told}, and goes on with step {one['step'] + 1}"
    return ""


def _why_not_whole(story: Story) -> str:
    files = story.files_of_a_checkpoint()
    if files > 1:
        return (
            f"A rank saved {files} files for one checkpoint. A death between them leaves one of "
            "this checkpoint and one of the last."
        )
    return _WHY


_WHY = (
    "At any moment, under the name that `train_job` looks for, there has to be a whole checkpoint: "
    "the old one, or the new one. For two paths, `a.replace(b)` changes from one to the other in "
    "one go."
)
