"""augment-on-device: crops and flips of a whole batch, in few kernels, without a wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.feed_the_gpu.augment_on_device.augmentation import (
    augment_slowly,
    random_batch,
)

_TOLERANCE = 2e-5
"""Normalized bytes are below 10; float32 rounds them to 5e-7, a few times over."""
_MOST_KERNELS = 32
"""Room for `grid_sample`, which takes about 25; a loop over 32 rows takes more."""
_COUNTS = (4, 16, 64)
_DRAWS = 20_000
_BATCHES = 2_000
_SIGMAS = 8
"""Beyond it, a count of independent draws lies once in 10**10 times at most."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Plain batches, mirrored ones, cropped ones, both; large ones; many draws."""
    drawn = [_whole(rng, "normalized", flips=False), _whole(rng, "flips", flips=True)]
    sizes = [(7, 9, 12, 5), (5, 13, 8, 5), (1, 9, 11, 6)]
    for count, height, width, size in sizes:
        batch = random_batch(rng, count, height=height, width=width, size=size, flips=False)
        drawn.append(_values(batch, "crops"))
    for count, channels, height, width, size in (
        (9, 3, 10, 13, 6),
        (6, 4, 12, 9, 6),
        (5, 1, 8, 9, 6),
    ):
        batch = random_batch(rng, count, height=height, width=width, size=size, channels=channels)
        drawn.append(_values(batch, "both"))
    large, other = (random_batch(rng, 64, height=36, width=36, size=32) for _ in range(2))
    inputs = {"ask": "kernels", "counts": _COUNTS, **large, "other": other}
    drawn.append(Case("64 pictures", inputs, ("few-kernels",)))
    small, other = (random_batch(rng, 6, height=12, width=13, size=8) for _ in range(2))
    inputs = {"ask": "stays", **small, "other": other}
    drawn.append(Case("a batch on a device", inputs, ("stays",)))
    inputs = {"ask": "draws-stay", "count": 6, "height": 12, "width": 13, "size": 8, "seed": 1}
    drawn.append(Case("a generator of a device", inputs, ("stays",)))
    wide = 9 + int(rng.integers(257, 290))  # more places than a byte has values
    for height, width, size in ((36, 38, 32), (9, wide, 9), (12, 10, 7)):
        inputs = {"ask": "draws", "count": _DRAWS, "height": height, "width": width, "size": size}
        inputs["seed"] = int(rng.integers(10**6))
        label = f"{_DRAWS:,} draws, {size} x {size} of {height} x {width}"
        drawn.append(Case(label, inputs, ("positions", "own-draws")))
        drawn.append(Case(label, inputs | {"ask": "draws-made"}, ("stays",)))
    inputs = {"ask": "small-draws", "count": 2, "height": 36, "width": 38, "size": 32}
    inputs |= {"batches": _BATCHES, "seed": int(rng.integers(10**6))}
    drawn.append(Case(f"{_BATCHES:,} batches of two pictures", inputs, ("own-draws",)))
    return drawn


def _whole(rng: np.random.Generator, prop: str, *, flips: bool) -> Case:
    return _values(random_batch(rng, 6, height=8, width=8, size=8, flips=flips), prop)


def _values(batch: Mapping[str, Any], prop: str) -> Case:
    count, channels, height, width = batch["pictures"].shape
    size = batch["size"]
    label = f"{count} picture{'' if count == 1 else 's'} of {height} x {width}"
    label += "" if channels == 3 else f", {channels} channel{'' if channels == 1 else 's'}"
    label += f", crops of {size} x {size}" if size < max(height, width) else ", whole"
    return Case(label, {"ask": "values", **batch}, (prop,))


def _test_values(case: Case, observed: Plain) -> Iterable[Fault]:
    (prop,) = case.decides
    yield from array_fault(
        prop, observed["got"], augment_slowly(case.inputs), tolerance=_TOLERANCE, name="result"
    )
    if observed["changed"]:
        yield Fault(
            prop,
            f"`{observed['changed'][0]}` that was handed in has changed",
            "The next batch or epoch wants it as it was.",
        )


def _test_kernels(case: Case, observed: Plain) -> Iterable[Fault]:
    counts, asked = observed["counts"], case.inputs["counts"]
    if len(set(counts)) > 1:
        told = ", ".join(f"{n} for {count}" for n, count in zip(counts, asked, strict=True))
        yield Fault("few-kernels", f"kernels by the number of pictures: {told}")
    elif counts[0] > _MOST_KERNELS:
        told = f"{counts[0]} kernels for a batch of any size; {_MOST_KERNELS} are plenty"
        yield Fault("few-kernels", told)
    elif not counts[0]:
        yield Undecided("few-kernels", "no kernel was seen: what else computes is not counted")
    else:
        yield from _test_likewise("few-kernels", case, observed)


def _test_likewise(prop: str, case: Case, observed: Plain) -> Iterable[Fault]:
    """Undecided where the same done with another batch is not right."""
    if observed["failed"]:
        yield Undecided(prop, f"the same, done with another batch, fails: {observed['failed']}")
        return
    got, wanted = observed["likewise"], augment_slowly(case.inputs["other"])
    for fault in array_fault(prop, got, wanted, tolerance=_TOLERANCE, name="result"):
        yield Undecided(prop, f"the same, done with another batch, is not right: {fault.message}")


def _test_stays(case: Case, observed: Plain) -> Iterable[Fault]:
    if observed["leaves"]:
        is_named = case.inputs["ask"] != "stays" and observed["leaves"] != "fault"
        yield Fault("stays", observed["told"], _MADE_ON_THE_HOST if is_named else "")
    elif case.inputs["ask"] == "stays":
        yield from _test_likewise("stays", case, observed)


_MADE_ON_THE_HOST = (
    "What is made without `device=` is on the host. `device=generator.device`, next to "
    "`generator=generator`, makes it where the generator is."
)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Random draws against their law: what is judged of the rest, properties judge themselves."""
    if case.inputs["ask"] == "small-draws":
        yield from _judge_two(case.inputs, observed)
    if case.inputs["ask"] != "draws":
        return
    columns = {"flips": (np.asarray(observed["flips"]).astype(int), 2)}
    for name, side in (("tops", "height"), ("lefts", "width")):
        columns[name] = np.asarray(observed[name]), case.inputs[side] - case.inputs["size"] + 1
    faults = [fault for name, column in columns.items() for fault in _judge_places(name, *column)]
    yield from faults
    alike = {name for name, (drawn, _) in columns.items() if drawn.min() == drawn.max()}
    yield from _judge_generator(observed, [(i, n) for i, n in enumerate(columns) if n not in alike])
    if not faults:
        yield from _judge_pairs(columns)


def _judge_places(name: str, drawn: np.ndarray, count: int) -> Iterable[Fault]:
    """All of ``count`` places, equally often, and no other."""
    last, share = count - 1, 1 / count
    if drawn.min() < 0 or drawn.max() > last:
        out = int(drawn.min() if drawn.min() < 0 else drawn.max())
        message = f"`{name}` has a {out}, where a crop does not fit; {last} is the last place"
        yield Fault("positions", message)
        return
    times = np.bincount(drawn, minlength=count)
    if count > 1 and times.max() == drawn.size:
        yield Fault("own-draws", f"all {drawn.size:,} pictures drew the same of `{name}`")
        return
    off = np.abs(times - drawn.size * share)
    if off.max() <= _SIGMAS * np.sqrt(drawn.size * share * (1 - share)):
        return
    place = int(np.argmax(off))
    message = (
        f"`{name}` was {place} for {times[place]:,} of {drawn.size:,} pictures, expected about "
        f"{drawn.size * share:,.0f}"
    )
    yield Fault("own-draws" if name == "flips" else "positions", message)


def _judge_generator(observed: Plain, columns: Iterable[tuple[int, str]]) -> Iterable[Fault]:
    """All random numbers are from the generator, as it stands, and from no other."""
    if not observed["alone"]:
        told = "the global random numbers of PyTorch were drawn from, or seeded"
        yield Fault("own-draws", told, _WHOSE)
    if not observed["repeats"]:
        yield Fault("own-draws", "two generators of the same seed gave different draws", _WHOSE)
    for i, name in columns:
        if not observed["goes_on"][i]:
            yield Fault("own-draws", f"one generator gave the same `{name}` in two calls")
        if not observed["differs"][i]:
            yield Fault("own-draws", f"generators of two seeds gave the same `{name}`")


def _judge_two(inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    """Two pictures of a batch draw the same as often as if they knew nothing of each other."""
    many, size = inputs["batches"], inputs["size"]
    places = {"flips": 2, "tops": inputs["height"] - size + 1, "lefts": inputs["width"] - size + 1}
    for name, count in places.items():
        wanted, alike = many / count, observed[name]
        if abs(alike - wanted) > _SIGMAS * np.sqrt(wanted * (1 - 1 / count)):
            told = (
                f"both pictures drew the same of `{name}` in {alike:,} of {many:,} batches, "
                f"expected about {wanted:,.0f}"
            )
            yield Fault("own-draws", told, "Does what one picture draws depend on the other's?")
            return


_WHOSE = "Does every random number come from `generator`? `torch.rand(n, generator=generator)`."


def _judge_pairs(columns: Mapping[str, tuple[np.ndarray, int]]) -> Iterable[Fault]:
    """Each pair of draws takes each pair of values as often as independent ones do."""
    for (first, (a, many)), (second, (b, more)) in combinations(columns.items(), 2):
        share = np.outer(np.bincount(a, minlength=many), np.bincount(b, minlength=more))
        share = share / (a.size * a.size)
        times = np.bincount(a * more + b, minlength=many * more).reshape(many, more)
        room = _SIGMAS * np.sqrt(a.size * share * (1 - share)) + _SIGMAS
        if (np.abs(times - a.size * share) > room).any():
            told = f"`{first}` and `{second}` are not independent"
            yield Fault("own-draws", told)
            return


_PIXEL = (
    "Which pixel of which picture belongs at that place, by its flag, its top and its left? "
    "Where does yours come from, and what happens to its byte?"
)


JUDGE = Judge(
    title="Augment on the device",
    properties=(
        Property(
            "normalized",
            "bytes become normalized float32, channel by channel",
            1,
            "Which byte belongs at that place, and what should the `mean` and `std` of its channel "
            "make of it? What do your steps make of it, one after the other?",
            _test_values,
        ),
        Property("flips", "each picture is mirrored by its own flag", 1, _PIXEL, _test_values),
        Property(
            "crops",
            "each is cropped at its own place, even the last possible one",
            1,
            _PIXEL,
            _test_values,
        ),
        Property(
            "both",
            "the crop is mirrored, not the picture that it is cut from",
            1,
            _PIXEL,
            _test_values,
        ),
        Property(
            "few-kernels",
            f"the same number of kernels for any batch, at most {_MOST_KERNELS}",
            1,
            "How much does each of your kernels compute: something for the whole batch, or for one "
            "picture, one row, one position?",
            _test_kernels,
        ),
        Property(
            "stays",
            "the host never has to wait, and creates no tensors itself",
            1,
            "What is read or made on the host there? What would do the same where the pictures or "
            "the generator are?",
            _test_stays,
        ),
        Property(
            "positions",
            "`draw`: every place of the crop, equally often",
            1,
            "At how many places does the crop fit, from the first to the last? How likely does "
            "your formula give each of them?",
        ),
        Property(
            "own-draws",
            "each picture draws for itself, all from the generator",
            1,
            "How many random numbers does a batch need? Which call draws each of them, from which "
            "generator, and in what state is that generator?",
        ),
    ),
    hints=(
        "Which row of the picture is row r of the crop? With all such rows in one tensor of shape "
        "(N, size), and all columns in another, one index takes all pixels of all crops. And what "
        "does a flip do to the columns?",
        "`rows = tops[:, None] + steps` with `steps = torch.arange(size, device=...)`. Columns "
        "work the same way, except that where `flips[:, None]` is true, `torch.where` takes `size "
        "- "
        "1 - steps` instead of `steps`. Index `pictures[n, c, rows, cols]` with shapes that "
        "broadcast to "
        "(N, C, size, size).",
        "n is an arange of N as (N, 1, 1, 1), c one of C as (C, 1, 1), rows `[:, None, :, None]`, "
        "columns `[:, None, None, :]`. Then `/ 255`, `- mean[:, None, None]`, "
        "`/ std[:, None, None]`. To draw: `torch.rand(count, generator=g, device=g.device) < 0.5`, "
        "and `torch.randint(height - size + 1, (count,), generator=g, device=g.device)`.",
    ),
    cases=cases,
    verdict=verdict,
    varies=("told", "likewise", "failed"),
    predictions={
        "augment-on-device": Prediction(
            "the loop gets 64 pictures, 32 of which are to be mirrored. How many kernels does it "
            "launch?",
            truth=225,
            unit="kernels",
            exact=True,
            because="Each picture takes three (two divisions and a difference), 32 take a flip, "
            "and "
            "one stacks them: 192 + 32 + 1.",
        )
    },
)
