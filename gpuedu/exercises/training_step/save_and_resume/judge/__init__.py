"""save-and-resume: a run that is taken up again goes on as if nothing had happened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.training_step.save_and_resume.runs import BATCH, KINDS, PARTS, SAMPLES

_AFTER = 16
_COLUMNS = ("the loss", "the learning rate", "the loss's scale", "samples left of the pass")


def cases(rng: np.random.Generator) -> list[Case]:
    """A run of each kind, saved in its second pass over the data: one at its end, others within."""
    found, steps = [], SAMPLES // BATCH
    for number, kind in enumerate(KINDS, 1):
        within = int(rng.integers(1, steps - 1))
        before = steps + (steps if number == len(KINDS) else within)
        inputs = {"kind": kind, "seed": int(rng.integers(10**6)), "before": before}
        label = f"a run with {kind}, saved after {before} steps"
        found.append(Case(label, inputs | {"after": _AFTER}))
    return found


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Each part that was lost, if the run went on in another way; the snapshot; the file."""
    if observed["unbroken"] != observed["resumed"]:
        yield from _lost(observed)
    yield from _not_held(observed)
    yield from _snapshot(observed)
    if observed["file_problem"]:
        yield Fault(
            "file",
            "the state cannot be written and read again: " + observed["file_problem"],
        )
    elif observed["data_at"]:
        yield Fault("file", f"`state{observed['data_at']}` is the run's data")


def _lost(observed: Plain) -> Iterator[Fault]:
    lost, broke = observed["lost"], observed["broke"]
    if broke:
        yield Fault("model", f"the resumed run cannot take a step: {broke}")
        return
    apart = _first_apart(observed["unbroken"], observed["resumed"], "resuming")
    for part in PARTS:
        if part in lost:
            message, cause = _told(part, lost[part])
            yield Fault(part, f"{message}; {apart}", cause)
    if not lost:
        yield Fault(
            "model",
            f"right after `resume` every part is as it was, and yet {apart}",
            "Does the optimizer still move the weights of this run's model, and the scheduler the "
            "rate of this optimizer? Loading into the parts that are there keeps them together.",
        )


def _not_held(observed: Plain) -> Iterator[Fault]:
    """Parts that the resumed run has, and that it cannot have from the state."""
    names = [part for part in observed["not_held"] if part not in observed["lost"]]
    for part in names:
        yield Fault(
            part,
            f"the resumed run has {_IS[part]}, but `state` has not: another process would not",
            "The run may be resumed in another process, which has the file and nothing else. What "
            "of this part is in the file?",
        )
    if "model" in names:
        for part in PARTS:
            yield Undecided(part, "what was resumed did not come from `state`, so it shows nothing")


_IS = {
    "model": "the saved run's weights",
    "optimizer": "what the saved run's optimizer remembers",
    "chance": "the random numbers that come next",
}


def _first_apart(wanted: list[list[float]], got: list[list[float]], since: str) -> str:
    """What differs first between two runs: loss, rate, scale, samples left of a step; weights."""
    for step, (one, other) in enumerate(zip(wanted[:-1], got[:-1], strict=True), 1):
        for name, mine, yours in zip(_COLUMNS, one, other, strict=True):
            if mine != yours:
                when = f"in step {step} after {since}"
                return f"{name} {when} is {yours:.9g}, in the unbroken run {mine:.9g}"
    return "at the end the model's weights or running means are not the same"


def _told(part: str, place: str) -> tuple[str, str]:
    """What was lost of a part, and a question about that place."""
    if part == "model":
        return _of_the_model(place)
    if part == "optimizer" and not place.startswith("['state']"):
        part = "rate"
    return _SAYS.get(part + place) or _SAYS[part]


def _of_the_model(place: str) -> tuple[str, str]:
    if place == "['in training mode']":
        return "the model is in evaluation mode", "`train()` and `eval()` are no part of a state."
    name = place.strip("[]'").replace("']['", ".")
    asks = ""
    if "running" in place or "batches" in place:
        asks = (
            "That is no weight: batch norm keeps running means in *buffers*. `parameters()` leaves "
            "them out; which of the model's methods gives both?"
        )
    return f"`{name}` of the model is not as it was", asks


_SAYS = {
    "optimizer": ("what the optimizer remembers is not as it was", ""),
    "rate": (
        "the optimizer's learning rate is not as it was",
        "The rate of the next step is in the optimizer's own groups, where the scheduler wrote it.",
    ),
    "scheduler": ("the scheduler is not where it was", ""),
    "scaler": ("the scaler starts over", ""),
    "chance['torch']": (
        "PyTorch's random numbers don't go on where they were",
        "Dropout and `torch.randperm` draw from one generator. `torch.get_rng_state()` says where "
        "it is. (Did something draw from it after it was put back?)",
    ),
    "chance": (
        "Python's random numbers don't go on where they were",
        "The flips come from `random`, which PyTorch knows nothing about: `random.getstate()`.",
    ),
    "data['order']": (
        "the samples come in a different order",
        "The order of this pass was drawn when it started, some steps ago, so today's random state "
        "can't give it again. Is it in what `save` returns?",
    ),
    "data": (
        "the next batch is a different one",
        "How far in its order was the run? Without that, some samples are seen twice in a pass, "
        "and others not at all.",
    ),
}
"""By part, or by part and place."""


def _snapshot(observed: Plain) -> Iterator[Fault]:
    if observed["saved"] != observed["unbroken"]:
        apart = _first_apart(observed["unbroken"], observed["saved"], "saving")
        yield Fault(
            "snapshot",
            f"the run that was saved goes on differently: {apart}",
            "Saving should change nothing: no random number drawn, no mode left switched.",
        )
    elif observed["moved"] is not None:
        place = observed["moved"] or "the whole of it"
        yield Fault(
            "snapshot",
            f"`state{place}` changed while the saved run went on",
        )


JUDGE = Judge(
    title="Resume as if nothing had happened",
    properties=(
        Property(
            "model",
            "the model: its weights and its buffers",
            1,
            asks="What does a step change in the model: only its weights? And is the resumed "
            "model the one that the optimizer moves?",
        ),
        Property(
            "optimizer",
            "the optimizer: what it remembers of earlier gradients",
            1,
            asks="What does the optimizer's next step read that earlier steps left there?",
        ),
        Property(
            "scheduler",
            "the schedule of the learning rate goes on",
            1,
            asks="What does the scheduler count, and where does it keep that?",
        ),
        Property(
            "scaler",
            "the scale of the loss is kept",
            1,
            asks="What has the scaler learned in earlier steps, and what does it count?",
        ),
        Property(
            "chance",
            "the same random numbers come next",
            1,
            asks="What draws random numbers in a step? Each generator has its own state.",
        ),
        Property(
            "data",
            "the next batch is the one that would have come",
            1,
            asks="What decides which samples the next batch has?",
        ),
        Property(
            "snapshot",
            "saving changes nothing, and the run that goes on doesn't change what was saved",
            1,
            asks="What does `save` do to the run, and which of the things it returns still belong "
            "to the run?",
            after=("model",),
        ),
        Property(
            "file",
            "the state survives `torch.save` and `torch.load`, and has no data in it",
            1,
            asks="A file may hold tensors, numbers, strings, and lists, tuples and dicts of these. "
            "For an object, that means its `state_dict()`; for a NumPy array, a list. And what "
            "does the resumed run already have? What else is in the state?",
            after=("model",),
        ),
    ),
    hints=(
        "Read `Run.step` line by line. What does each line read that an earlier step left there? "
        "Make a list. Which entries does `run.model.state_dict()` cover?",
        "Four parts have `state_dict()` and `load_state_dict()`. Then: PyTorch's random state, "
        "Python's, the order of this pass, and the place in it. Last: which of the tensors you "
        "return "
        "still belong to the run?",
        '`{"model": run.model.state_dict(), ..., "torch": torch.get_rng_state(), "python": '
        'random.getstate(), "order": run.order, "place": run.place}`, and `copy.deepcopy` around '
        "the whole. `resume` puts each back: `load_state_dict` four times, "
        "`torch.set_rng_state`, `random.setstate`, and the two attributes.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "save-and-resume": Prediction(
            "A model's weights take 1 GB in float32, and Adam trains it. How many GB do you have "
            "to "
            "save?",
            truth=3,
            unit="GB",
            exact=True,
            because="The weights, and Adam's two averages of each gradient, of the same size. "
            "Gradients aren't needed, because the next step computes them again. All else is "
            "small.",
        )
    },
    seeds=4,
    varies=("saved", "resumed", "unbroken", "file_bytes"),
)
