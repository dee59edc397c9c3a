"""Cases of the exercise buckets: parameters whose sizes separate one way to fill from another."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from gpuedu.exercises.contract import Case, Inputs
from gpuedu.exercises.ddp.buckets.grouping import group

MADE = ("once", "limits", "types", "order", "few")
ITEM_BYTES = {"float64": 8, "float32": 4, "bfloat16": 2, "float16": 2}
F64, F32, BF16, F16 = ITEM_BYTES


def cases(rng: np.random.Generator) -> list[Case]:
    """What is only grouped, then what is exchanged."""
    return [*_making(rng), *_exchanging(rng)]


def _making(rng: np.random.Generator) -> list[Case]:
    """Sizes are counted in units, four to eleven a usual parameter, 24 and 40 a bucket."""
    usual = [int(n) for n in rng.integers(4, 12, 14)]
    a = int(rng.integers(9, 16))
    exact = [5, 40 - a, a, 31, 9, 3, 37, 12, 12]
    large = [*usual[:4], int(rng.integers(45, 90)), *usual[4:7], 55, 8]
    mixed = [int(n) for n in rng.integers(6, 14, 16)]
    types = [BF16, F32] * 8
    frozen = sorted(int(n) for n in rng.choice(10, 3, replace=False))
    return [
        _make(rng, "14 parameters", usual),
        _make(rng, "buckets that are filled to the last byte", exact),
        _make(rng, "buckets that lack a byte for the next parameter", exact, spare_bytes=-1),
        _make(rng, "two parameters larger than a bucket", large),
        _make(rng, "a last parameter larger than the first bucket", [*usual[:6], 30]),
        _make(rng, "two types, in turn", mixed, types=types),
        _make(rng, "two types, three frozen", usual[:10], types=types[:10], frozen=frozen),
        _two_firsts(rng),
        _make(
            rng,
            "three types, two of them of two bytes",
            mixed[:12],
            types=[F64, BF16, F64, F16] * 3,
        ),
        _of_no_dimension(rng),
        _make(rng, "one parameter", [7]),
        _make(rng, "nothing that trains", [7, 9], frozen=[0, 1]),
    ]


def _two_firsts(rng: np.random.Generator) -> Case:
    """Two parameters of the second type have room in a bucket, and none in the very first one."""
    small, large = (int(n) for n in (rng.integers(6, 12), rng.integers(13, 20)))
    types = [F32, BF16, BF16, F32]
    if rng.random() < 0.5:
        types = [BF16, F32, F32, BF16]
    return _make(rng, "two types, two buckets", [small, large, large, small], types=types)


def _of_no_dimension(rng: np.random.Generator) -> Case:
    """One of the parameters is a single number, with a shape of nothing."""
    case = _make(rng, "a parameter that is one number", [9, 8, 7, 9])
    shapes = [case.inputs["shapes"][0], [], *case.inputs["shapes"][2:]]
    return Case(case.label, {**case.inputs, "shapes": shapes}, ("once",))


def _make(
    rng: np.random.Generator,
    label: str,
    units: Sequence[int],
    types: Sequence[str] = (),
    frozen: Sequence[int] = (),
    spare_bytes: int = 0,
) -> Case:
    unit = 4 * int(rng.integers(2, 9))
    types = list(types) or [F32] * len(units)
    shapes = [
        _shape(rng, unit * many // ITEM_BYTES[name])
        for many, name in zip(units, types, strict=True)
    ]
    limits = {"first_bytes": 24 * unit + spare_bytes, "max_bytes": 40 * unit + spare_bytes}
    trains = [place not in frozen for place in range(len(units))]
    return Case(label, _inputs(rng, "make", shapes, types, trains) | limits, MADE)


def _shape(rng: np.random.Generator, elements: int) -> list[int]:
    """A shape of so many elements: a vector or a matrix."""
    rows = [n for n in (2, 3, 4, 5) if elements % n == 0]
    if not rows or rng.random() < 0.4:
        return [elements]
    n = int(rng.choice(rows))
    return [n, elements // n]


def _exchanging(rng: np.random.Generator) -> list[Case]:
    made = []
    for ranks, label in ((3, "three ranks, two types"), (4, "four ranks, two types")):
        shapes, types = _few_shapes(rng)
        inputs = _inputs(rng, "reduce", shapes, types, [True] * len(shapes))
        inputs |= {"ranks": ranks, "first_bytes": 60, "max_bytes": 200}
        inputs["buckets"] = buckets_of(inputs)
        made.append(Case(label, inputs, ("few", "mean")))
    made.append(_images(rng))
    shapes, types = _few_shapes(rng)
    places = [int(n) for n in rng.permutation(len(shapes))]
    lacking = {"ranks": 3, "first_bytes": 60, "max_bytes": 200}
    on_one = [[], places[:2], [places[2]]]
    nowhere = [[places[0], places[1]], [places[0]], [places[0], places[3]]]
    for label, missing in (
        ("gradients missing on ranks 1 and 2", on_one),
        ("one gradient missing on all ranks", nowhere),
    ):
        inputs = _inputs(rng, "both", shapes, types, [True] * len(shapes))
        made.append(Case(label, inputs | lacking | {"missing": missing}, ("missing",)))
    return made


def _images(rng: np.random.Generator) -> Case:
    """Weights of convolutions, whose four dimensions lie in memory in another order; one number."""
    shapes = [[int(n) for n in rng.integers(2, 4, 4)] for _ in range(2)]
    shapes += [[int(rng.integers(2, 7))], []]
    inputs = _inputs(rng, "reduce", shapes, [F32] * 4, [True] * 4)
    inputs |= {"ranks": 2, "first_bytes": 60, "max_bytes": 2000}
    inputs["buckets"] = buckets_of(inputs)
    return Case("weights of convolutions, and one number", inputs, ("mean",))


def _few_shapes(rng: np.random.Generator) -> tuple[list[list[int]], list[str]]:
    shapes = [[int(n) for n in rng.integers(2, 7, int(rng.integers(1, 3)))] for _ in range(9)]
    return shapes, [F32, F32, BF16, F32, BF16, F32, F32, BF16, F32]


def _inputs(
    rng: np.random.Generator,
    ask: str,
    shapes: Sequence[Sequence[int]],
    types: Sequence[str],
    trains: Sequence[bool],
) -> dict[str, object]:
    return {
        "ask": ask,
        "shapes": [list(shape) for shape in shapes],
        "types": list(types),
        "trains": list(trains),
        "missing": [],
        "seed": int(rng.integers(1_000_000)),
    }


def sizes_of(inputs: Inputs) -> list[int]:
    """Bytes of each parameter."""
    pairs = zip(inputs["shapes"], inputs["types"], strict=True)
    return [prod(shape) * ITEM_BYTES[name] for shape, name in pairs]


def buckets_of(inputs: Inputs) -> list[list[int]]:
    """The buckets that the rule gives, by place."""
    places = [place for place, trains in enumerate(inputs["trains"]) if trains]
    sizes, types = sizes_of(inputs), inputs["types"]
    made = group(
        [sizes[place] for place in places],
        [types[place] for place in places],
        inputs["first_bytes"],
        inputs["max_bytes"],
    )
    return [[places[place] for place in bucket] for bucket in made]
