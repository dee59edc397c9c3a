"""augment-on-device: crops and flips of a whole batch, in few kernels, without a wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.feed_the_gpu.augment_on_device.augmentation import (
    Batch,
    augment_slowly,
    random_batch,
)
from gpuedu.exercises.feed_the_gpu.augment_on_device.judge.augment_mistakes import MISTAKES

_TOLERANCE = 2e-5
"""Normalised bytes are below 10; float32 rounds them to 5e-7, a few times over."""
_MOST_KERNELS = 24
_COUNTS = (4, 16, 64)
_DRAWS = 20_000
_SIGMAS = 8
"""Beyond it, a count of independent draws lies once in 10**15 times."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Plain batches, mirrored ones, cropped ones, both; large ones; many draws."""
    drawn = [_whole(rng, "normalised", flips=False), _whole(rng, "flips", flips=True)]
    sizes = [(7, 9, 12, 5), (5, 13, 8, 5), (1, 9, 11, 6)]
    for count, height, width, size in sizes:
        batch = random_batch(rng, count, height=height, width=width, size=size, flips=False)
        drawn.append(_values(batch, "crops"))
    for count, height, width, size in ((9, 10, 13, 6), (6, 12, 9, 6)):
        batch = random_batch(rng, count, height=height, width=width, size=size)
        drawn.append(_values(batch, "both"))
    large = random_batch(rng, max(_COUNTS), height=36, width=36, size=32)
    drawn.append(Case("64 pictures", {"ask": "kernels", "counts": _COUNTS, **large}, _FEW))
    small = random_batch(rng, 6, height=12, width=13, size=8)
    drawn.append(Case("a batch on a device", {"ask": "stays", **small}, ("stays",)))
    inputs = {"ask": "draws-stay", "count": 6, "height": 12, "width": 13, "size": 8, "seed": 1}
    drawn.append(Case("a generator of a device", inputs, ("stays",)))
    for height, width, size in ((36, 38, 32), (9, 16, 9), (12, 10, 7)):
        inputs = {"ask": "draws", "count": _DRAWS, "height": height, "width": width, "size": size}
        inputs["seed"] = int(rng.integers(10**6))
        label = f"{_DRAWS:,} draws, {size} x {size} of {height} x {width}"
        drawn.append(Case(label, inputs, ("positions", "own-draws")))
    return drawn


_FEW = ("few-kernels",)


def _whole(rng: np.random.Generator, prop: str, *, flips: bool) -> Case:
    return _values(random_batch(rng, 6, height=8, width=8, size=8, flips=flips), prop)


def _values(batch: Mapping[str, Any], prop: str) -> Case:
    count, _, height, width = batch["pictures"].shape
    size = batch["size"]
    label = f"{count} picture{'' if count == 1 else 's'} of {height} x {width}"
    label += f", crops of {size} x {size}" if size < max(height, width) else ", whole"
    return Case(label, {"ask": "values", **batch}, (prop,))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Values against the slow loop, counts against each other, draws against their law."""
    judged = {
        "values": _judge_values,
        "kernels": _judge_kernels,
        "stays": _judge_stays,
        "draws": _judge_draws,
        "draws-stay": _judge_draws_stay,
    }
    yield from judged[case.inputs["ask"]](case, observed)


def _judge_values(case: Case, observed: Plain) -> Iterable[Fault]:
    batch = {name: value for name, value in case.inputs.items() if name != "ask"}
    got, truth, (prop,) = observed["got"], augment_slowly(batch), case.decides
    found = list(array_fault(prop, got, truth, tolerance=_TOLERANCE, name="result"))
    for fault in found:
        yield replace(fault, cause=_why_values(got, batch) or _QUESTIONS[prop])
    if observed["changed"]:
        yield Fault(
            prop,
            "the pictures that were handed in have changed",
            "They are the data set: the next epoch wants them as they were.",
        )


def _why_values(got: np.ndarray, batch: Batch) -> str:
    if np.isnan(got).any():
        return "Some are NaN. Are all places of the result written?"
    for known in MISTAKES:
        if np.allclose(known.gives(**batch), got, rtol=1e-4, atol=1e-3):
            return known.says
    return ""


_QUESTIONS = {
    "normalised": "A byte is a share of 255; from it goes the mean of its channel, and then it is "
    "divided by the `std` of its channel.",
    "flips": "Column c of a mirrored picture is column W - 1 - c of the picture.",
    "crops": "Row r of the crop of picture i is its row `tops[i] + r`; columns likewise.",
    "both": "Column c of a mirrored crop is column `lefts[i] + size - 1 - c` of the picture.",
}


def _judge_kernels(case: Case, observed: Plain) -> Iterable[Fault]:
    counts, asked = observed["counts"], case.inputs["counts"]
    if not observed["varied"]:
        yield Fault(
            "few-kernels", "a picture of the result is of one value: its kernels say nothing"
        )
        return
    told = ", ".join(f"{n} for {count}" for n, count in zip(counts, asked, strict=True))
    if len(set(counts)) > 1:
        yield Fault(
            "few-kernels",
            f"kernels by the number of pictures: {told}",
            "They grow with the batch. Which line runs once for each picture, or each row?",
        )
    elif counts[0] > _MOST_KERNELS:
        yield Fault(
            "few-kernels",
            f"{counts[0]} kernels for a batch of any size; {_MOST_KERNELS} are plenty",
            "Is there a loop over rows, or over positions?",
        )


def _judge_stays(case: Case, observed: Plain) -> Iterable[Fault]:
    if observed["wait"]:
        message = f"the host waits for the device: {observed['wait']}"
        yield Fault("stays", message, _why_wait(observed["wait"]))
    elif observed["fault"]:
        yield Fault(
            "stays",
            f"with tensors on a device whose values the host cannot see, {observed['fault']}",
            _why_fault(observed["fault"]),
        )
    elif observed["mixed"]:
        yield Fault(
            "stays",
            f"`{observed['mixed']}` is given a tensor of the host beside those of the device",
            "On a GPU it is copied there in every call. `torch.arange(n, device=...)` makes it "
            "where it is needed.",
        )


def _why_wait(said: str) -> str:
    if said.startswith("boolean mask"):
        return (
            "A mask as an index must know how many are True. `torch.where(mask, a, b)` need not: "
            "its result has the same shape in any case."
        )
    return "Which operation takes the tensor itself, in place of the number that is in it?"


def _why_fault(said: str) -> str:
    if "expected device" in said or "same device" in said:
        return (
            "A tensor that is made without `device=` lies on the host, and a GPU refuses to mix "
            "them. `device=pictures.device` puts it beside the pictures."
        )
    return "The host needs a value, or a copy, of what is on the device."


def _judge_draws(case: Case, observed: Plain) -> Iterable[Fault]:
    inputs = case.inputs
    columns = {"flips": (np.asarray(observed["flips"]).astype(int), 2)}
    for name, side in (("tops", "height"), ("lefts", "width")):
        columns[name] = np.asarray(observed[name]), inputs[side] - inputs["size"] + 1
    faults = [fault for name, column in columns.items() for fault in _judge_places(name, *column)]
    yield from faults
    alike = {name for name, (drawn, _) in columns.items() if drawn.min() == drawn.max()}
    yield from _judge_generator(observed, [(i, n) for i, n in enumerate(columns) if n not in alike])
    if not faults:
        yield from _judge_pairs(columns)


def _judge_generator(observed: Plain, columns: Iterable[tuple[int, str]]) -> Iterable[Fault]:
    """All random numbers are from the generator, as it stands, and from no other."""
    if not observed["leaves"]:
        yield Fault(
            "own-draws",
            "the global random numbers of PyTorch were drawn from, or seeded",
            "Does every random number come from `generator`? `torch.rand(n, generator=generator)`.",
        )
    if not observed["repeats"]:
        yield Fault(
            "own-draws",
            "two generators of the same seed gave different draws",
            "Does every random number come from `generator`? `torch.rand(n, generator=generator)`.",
        )
    for i, name in columns:
        if not observed["goes_on"][i]:
            message = f"one generator gave the same `{name}` in two calls"
            cause = "Then every batch is cropped alike. Draw from the generator as it stands."
            yield Fault("own-draws", message, cause)
        if not observed["differs"][i]:
            yield Fault("own-draws", f"generators of two seeds gave the same `{name}`")


def _judge_draws_stay(_: Case, observed: Plain) -> Iterable[Fault]:
    cause = (
        "What is made without `device=` lies on the host. `device=generator.device` beside "
        "`generator=generator` makes it where the generator is."
    )
    if observed["fault"]:
        message = f"with a generator that is not on the host, `draw` raised {observed['fault']}"
        yield Fault("stays", message, cause)
    elif observed["elsewhere"]:
        names = ", ".join(f"`{name}`" for name in observed["elsewhere"])
        yield Fault("stays", f"{names}: made on the host, not where the generator is", cause)


def _judge_places(name: str, drawn: np.ndarray, count: int) -> Iterable[Fault]:
    """All of ``count`` places, equally often, and no other."""
    last, share = count - 1, 1 / count
    if drawn.min() < 0 or drawn.max() > last:
        out = int(drawn.min() if drawn.min() < 0 else drawn.max())
        message = f"`{name}` has a {out}, where a crop does not fit; {last} is the last place"
        yield Fault("positions", message, "How far can the crop be moved?")
        return
    times = np.bincount(drawn, minlength=count)
    if count > 1 and times.max() == drawn.size:
        message = f"all {drawn.size:,} pictures drew the same of `{name}`"
        yield Fault("own-draws", message, "Does each picture draw for itself?")
        return
    off = np.abs(times - drawn.size * share)
    if off.max() <= _SIGMAS * np.sqrt(drawn.size * share * (1 - share)):
        return
    place = int(np.argmax(off))
    message = (
        f"`{name}` was {place} for {times[place]:,} of {drawn.size:,} pictures, expected about "
        f"{drawn.size * share:,.0f}"
    )
    cause = f"There are {count} places, from 0 to {last}, and all should be equally likely."
    if times[last] == 0:
        cause += " `torch.randint(n, ...)` draws from 0 to n - 1."
    yield Fault("own-draws" if name == "flips" else "positions", message, cause)


def _judge_pairs(columns: Mapping[str, tuple[np.ndarray, int]]) -> Iterable[Fault]:
    """Each pair of draws takes each pair of values as often as independent ones do."""
    for (first, (a, many)), (second, (b, more)) in combinations(columns.items(), 2):
        share = np.outer(np.bincount(a, minlength=many), np.bincount(b, minlength=more))
        share = share / (a.size * a.size)
        times = np.bincount(a * more + b, minlength=many * more).reshape(many, more)
        room = _SIGMAS * np.sqrt(a.size * share * (1 - share)) + _SIGMAS
        if (np.abs(times - a.size * share) > room).any():
            message = f"`{first}` and `{second}` hang together: one tells about the other"
            yield Fault("own-draws", message, "Is one random number used for both?")
            return


JUDGE = Judge(
    title="Augment on the device",
    properties=(
        Property("normalised", "bytes become normalised float32, channel by channel", 1),
        Property("flips", "each picture is mirrored by its own flag", 1),
        Property("crops", "each is cropped at its own place, also at the last one", 1),
        Property("both", "the crop is mirrored, not what it is cut out of", 1),
        Property("few-kernels", f"as many kernels for any batch, at most {_MOST_KERNELS}", 1),
        Property("stays", "the host need not wait, and makes nothing itself", 1),
        Property("positions", "`draw`: every place of the crop, equally often", 1),
        Property("own-draws", "each picture draws for itself, all from the generator", 1),
    ),
    hints=(
        "Which row of the picture is row r of the crop? With all such rows in one tensor of shape "
        "(N, size), and all columns in another, one index takes all pixels of all crops. And what "
        "does a flip do to the columns?",
        "`rows = tops[:, None] + steps` with `steps = torch.arange(size, device=...)`. Columns "
        "likewise; where `flips[:, None]`, `torch.where` takes `size - 1 - steps` in place of "
        "`steps`. Index `pictures[n, c, rows, cols]` with shapes that broadcast to "
        "(N, C, size, size).",
        "n is an arange of N as (N, 1, 1, 1), c one of C as (C, 1, 1), rows `[:, None, :, None]`, "
        "columns `[:, None, None, :]`. Then `/ 255`, `- mean[:, None, None]`, "
        "`/ std[:, None, None]`. To draw: `torch.rand(count, generator=g, device=g.device) < 0.5`, "
        "and `torch.randint(height - size + 1, (count,), generator=g, device=g.device)`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "augment-on-device": Prediction(
            "the loop over pictures gets 64 of them, 32 to be mirrored. How many kernels does it "
            "start?",
            truth=225,
            unit="kernels",
            because="Each picture takes three, two divisions and a difference; 32 take a flip; and "
            "one stacks them: 192 + 32 + 1.",
        )
    },
)
