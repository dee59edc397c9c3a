"""What a training wrote: when, by whom, and whether it was on the disk before it had its name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from gpuedu.exercises.contract import Fault
from gpuedu.exercises.ddp_in_practice.survive.diary import Entry
from gpuedu.exercises.ddp_in_practice.survive.interrupted_job import Shape
from gpuedu.exercises.ddp_in_practice.survive.survival_runs import NOTE
from gpuedu.exercises.ddp_in_practice.survive.survival_story import Story

_SHOWN = 8


def every_faults(story: Story, shape: Shape, every: int) -> Iterable[Fault]:
    """Checkpoints of the unbroken run against what is asked for; then what is complete."""
    wanted = [*range(every, shape.all_steps, every), shape.all_steps]
    found = story.checkpoints("unbroken")
    if found != wanted:
        yield Fault(
            "every",
            f"with a checkpoint every {every} of {shape.all_steps} steps, "
            f"{_difference(found, wanted)}",
            _why_places(story, found, shape, every),
        )
        return
    more = story.steps("again", 0)
    if more:
        yield Fault(
            "every",
            f"a complete run, started again, trained {len(more)} steps, from step {more[0] + 1} on",
            "What does the last checkpoint say about how far the run has come?",
        )
        return
    ends = {one["rank"]: one["weights"] for one in story.of("unbroken", "end")}
    if any(one["weights"] != ends[one["rank"]] for one in story.of("again", "end")):
        yield Fault(
            "every",
            "a complete run, started again, does not end with the model that it had",
            "It has nothing to train. Does it load the checkpoint?",
        )


def _difference(found: Sequence[int], wanted: Sequence[int]) -> str:
    """Which checkpoints are missing and which are too many, where there are any at all."""
    if not found:
        return f"there is none; expected one after the steps {_list(wanted)}"
    missing = [at for at in wanted if at not in found]
    extra = [at for at in found if at not in wanted]
    told = [f"there is none after {_steps(missing, wanted[-1])}"] if missing else []
    told += [f"there is one after {_steps(extra, wanted[-1])}"] if extra else []
    return ", and ".join(told)


def _steps(numbers: Sequence[int], last: int) -> str:
    if len(numbers) == 1:
        return f"step {numbers[0]}{', the last' if numbers[0] == last else ''}"
    return f"the steps {_list(numbers)}"


def _why_places(story: Story, found: Sequence[int], shape: Shape, every: int) -> str:
    if not found:
        return _why_none(story)
    multiples = list(range(every, shape.all_steps, every))
    if list(found) == multiples:
        return (
            f"{shape.all_steps} is no multiple of {every}. Without its own checkpoint, a "
            "complete run that is started again trains its last steps once more."
        )
    epochs = range(0, shape.all_steps, shape.steps)
    by_epoch = [*range(shape.steps, shape.all_steps + 1, shape.steps)]
    if list(found) == by_epoch:
        return "Those are the ends of epochs. An epoch can take a day."
    within = {first + at for first in epochs for at in range(every, shape.steps + 1, every)}
    if set(found) - {shape.all_steps} == within - {shape.all_steps}:
        return "You start counting again in every epoch. Count the steps of the whole run."
    if {at + 1 for at in multiples} <= set(found) and not set(multiples) & set(found):
        return "Each comes one step late. Is your count one too low when you test it?"
    return ""


def _why_none(story: Story) -> str:
    if story.of("unbroken", "memory"):
        return (
            "It wrote into memory (a BytesIO), and only what it writes into a file itself is "
            "followed here: `torch.save(state, file)`, with the file that you opened."
        )
    return "`torch.save` wrote no file. Which rank saves, and when?"


def disk_faults(story: Story) -> Iterable[Fault]:
    """Two ranks that write one file, or another folder; what was not on the disk; other files."""
    saves = story.of("unbroken", "save")
    if not saves:
        yield Fault("disk", "`torch.save` wrote no file", _why_none(story))
        return
    writers = story.writers_of_one_file()
    if writers:
        cause = "One may write while the other gives it its name. Which of them needs to write it?"
        yield Fault("disk", writers, cause)
        return
    elsewhere = _written_elsewhere(story)
    if elsewhere:
        yield Fault("disk", *elsewhere)
        return
    for one in saves:
        told = _why_not_on_disk(story, one)
        if told:
            yield Fault("disk", *told)
            return
    for one in story.of("unbroken", "name"):
        told = _why_grown(story, one)
        if told:
            yield Fault("disk", *told)
            return
    if not all(one["stays"] for one in story.of("unbroken", "end")):
        yield Fault(
            "disk",
            f"a file named {NOTE} was in the folder before the training, and now it is gone, or "
            "has changed",
            "Who owns the other files in the folder?",
        )


def _written_elsewhere(story: Story) -> tuple[str, str] | None:
    """A file that came from another folder to its name."""
    for one in story.of("unbroken", "naming"):
        target, source = Path(one["path"]).parent, Path(one["source"]).parent
        if target not in (source, *source.parents):
            return (
                f"after {one['step'] + 1} steps, {Path(one['path']).name} came from {source}",
                "Two folders can be on two disks. Then its bytes are copied, and a death leaves "
                "half of them under the name. Where does it have to be written?",
            )
    return None


def _why_not_on_disk(story: Story, saved: Entry) -> tuple[str, str] | None:
    def behind(kind: str) -> list[Entry]:
        found = story.of("unbroken", kind, rank=saved["rank"])
        same = [one for one in found if one["step"] == saved["step"]]
        return [one for one in same if one["file"] == saved["file"] and one["at"] >= saved["at"]]

    named, synced = behind("name"), behind("fsync")
    name = Path(named[0]["path"] if named else saved["path"]).name
    where = f"after {saved['step'] + 1} steps, {name}"
    before = [one for one in synced if not named or one["at"] <= named[0]["at"]]
    if not synced:
        return (
            f"{where} was never sent to the disk",
            "What is written stays in memory for some time; a machine that loses its power loses "
            "it. `os.fsync(file.fileno())` returns when it is on the disk.",
        )
    if not before:
        return f"{where} had its name before it was on the disk", "In which order, and why?"
    return None


def _why_grown(story: Story, named: Entry) -> tuple[str, str] | None:
    """A file, written with `torch.save` or not, that `os.fsync` found shorter than it is."""
    found = story.of("unbroken", "fsync", rank=named["rank"], file=named["file"])
    before = [one for one in found if one["step"] == named["step"] and one["at"] <= named["at"]]
    if not before or before[-1]["size"] >= named["size"]:
        return None
    return (
        f"after {named['step'] + 1} steps, {Path(named['path']).name} has {named['size']} bytes, "
        f"and at `os.fsync` it had {before[-1]['size']}",
        "The rest was still in Python's own buffer. What does `file.flush()` do?",
    )


def _list(numbers: Sequence[int]) -> str:
    told = ", ".join(map(str, numbers[:_SHOWN]))
    return (told + (", ..." if len(numbers) > _SHOWN else "")) or "no"
