"""Cases of checkpoint-shards: layouts of 1 to 8 ranks that save, and of others that load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case
from gpuedu.exercises.sharding.checkpoint_shards.judge.checkpoint_files import files_of
from gpuedu.exercises.sharding.checkpoint_shards.layouts import cut, longest
from gpuedu.exercises.sharding.checkpoint_shards.rank_files import Chunk

STEP, NORM = "step", "norm.weight"
WHOLE = (STEP, NORM)
_SAVE, _LOAD = ("complete", "once"), ("load", "reads")
Held = list[dict[str, tuple[int, int]]]


def cases(rng: np.random.Generator) -> list[Case]:
    """Uneven and empty shards, copies, tensors of one rank, and a chunk that is lost."""
    rows = int(rng.integers(5, 8))
    shapes = _shapes(rows, int(rng.integers(2, 5)))
    saved = [
        ("3 ranks", cut(shapes, 3, whole=WHOLE)),
        ("2 ranks, nothing divides", cut(shapes, 2)),
        ("2 shards, each on 2 ranks", cut(shapes, 2, 2, WHOLE)),
        ("8 ranks, some have nothing of it", cut(shapes, 8, whole=WHOLE)),
        ("1 rank", cut(shapes, 1)),
        ("3 ranks, and an expert that rank 1 alone has", _with_expert(cut(shapes, 3, whole=WHOLE))),
    ]
    found = [_save_case(label, held, rng) for label, held in saved]
    weights = [STEP, NORM, "0.weight", "2.bias"]
    for label, before, after, names in (
        ("3 ranks that saved, 2 that load", cut(shapes, 3, whole=WHOLE), 2, None),
        ("2 ranks that saved, 5 that load", cut(shapes, 2, whole=WHOLE), 5, None),
        ("8 ranks that saved, 1 that loads", cut(shapes, 8, whole=WHOLE), 1, None),
        ("1 rank that saved, 8 that load", cut(shapes, 1), 8, None),
        ("4 ranks that saved, 4 that load", cut(shapes, 4), 4, None),
        ("4 ranks that saved, 3 that load some of it", cut(shapes, 4, whole=WHOLE), 3, weights),
    ):
        needed = _only(cut(shapes, after, whole=WHOLE), names)
        found.append(_load_case(label, shapes, before, needed, rng))
    for before, after, name in ((3, 4, "0.weight"), (4, 2, "0.weight"), (3, 1, "2.bias")):
        needed, held = (cut(shapes, ranks, whole=WHOLE) for ranks in (after, before))
        loading = f"{after} that load{'s' * (after == 1)}"
        label = f"{before} ranks that saved, {loading}, with a chunk of `{name}` lost"
        found.append(_load_case(label, shapes, held, needed, rng, loses=name))
    return found


def _shapes(rows: int, width: int) -> dict[str, tuple[int, ...]]:
    """Two layers, a norm, and momenta of the optimizer beside the weights."""
    weights = {"0.weight": (rows, width), "0.bias": (rows,), NORM: (4,), "2.weight": (3, rows)}
    momenta = {f"exp_avg.{name}": shape for name, shape in weights.items() if name != NORM}
    return {**weights, "2.bias": (3,), **momenta, STEP: (1,)}


def _with_expert(held: Held) -> Held:
    """The same, and on rank 1 tensors of which no other rank has a number, by an empty range."""
    held[0]["expert.bias"] = (0, 0)
    held[0]["expert.weight"] = (6, 6)
    held[1] |= {"expert.weight": (0, 6), "expert.bias": (0, 2)}
    return held


def _only(held: Held, names: Sequence[str] | None) -> Held:
    if names is None:
        return held
    return [{name: one for name, one in ranges.items() if name in names} for ranges in held]


def _tensors(held: Held, rng: np.random.Generator) -> dict[str, np.ndarray]:
    sizes: dict[str, int] = {}
    for ranges in held:
        for name, (_, stop) in ranges.items():
            sizes[name] = max(sizes.get(name, 0), stop)
    return {name: rng.uniform(0.1, 1.0, size) for name, size in sizes.items()}


def _save_case(label: str, held: Held, rng: np.random.Generator) -> Case:
    inputs = {"ask": "save", "held": held, "padded": longest(held), "tensors": _tensors(held, rng)}
    return Case(label, inputs, _SAVE)


def _load_case(
    label: str,
    shapes: Any,
    before: Held,
    needed: Held,
    rng: np.random.Generator,
    *,
    loses: str = "",
) -> Case:
    """Chunks in any order; in the files, other numbers may be between them.

    The tensors themselves are what is asked for, and stay here.
    """
    chunks, ends = [], [0] * len(before)
    for name in shapes:
        told = set()
        for file in rng.permutation(len(before)).tolist():
            start, stop = before[file][name]
            if start < stop and (start, stop) not in told:
                told.add((start, stop))
                place = ends[file] + int(rng.integers(0, 3))
                chunks.append(Chunk(name, start, stop, file, place))
                ends[file] = place + stop - start
    chunks = [chunks[at] for at in rng.permutation(len(chunks)).tolist()]
    lost = None
    if loses:
        lost = sorted((one.start, at) for at, one in enumerate(chunks) if one.name == loses)[1][1]
    inputs = {
        "ask": "load",
        "files": files_of(_tensors(before, rng), chunks),
        "chunks": [list(one) for one in chunks],
        "needed": needed,
        "lost": lost,
    }
    return Case(label, inputs, ("hole",) if loses else _LOAD)
