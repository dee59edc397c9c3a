"""adam-in-half: whose mistake a wrong path of weights looks like, by walking known wrong ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_WIDE = dict.fromkeys(("weight", "m", "v", "square", "kept"), "float32")
_M = "`m` seems to be kept in fp16: a tenth of a small gradient is smaller still."
_SQUARE = (
    "The gradient seems to be squared in fp16, before it comes to `v`. Small squares become 0 "
    "there, large ones infinity: in which dtype is the gradient when it is squared?"
)
_KNOWN: tuple[tuple[dict[str, str], str], ...] = (
    (
        {"weight": "float16", "m": "float16", "v": "float16", "square": "float16"},
        "That is Adam with everything in fp16. Which of its numbers are too small for it, which "
        "too large, and which too coarse?",
    ),
    (
        {"m": "float16", "v": "float16", "square": "float16"},
        "`m` and `v` seem to be kept in fp16. What becomes of them there?",
    ),
    (
        {"v": "float16", "square": "float16"},
        "`v` seems to be kept in fp16. 0.001 of a gradient's square: how large is that, and what "
        "is it once it is divided by `1 - beta2 ** step`?",
    ),
    ({"m": "float16"}, _M),
    ({"m": "float16", "update": "float32"}, _M),
    (
        {"kept": "float16"},
        "`m` and `v` seem to be rounded to fp16 from step to step. Is their memory float32?",
    ),
    ({"square": "float16"}, _SQUARE),
    ({"square": "first"}, _SQUARE),
    (
        {"weight": "float16"},
        "The weights that the next step begins with seem to be fp16 ones: what an update is less "
        "than half a step of is lost. Is there a master?",
    ),
    (
        {"weight": "float16", "square": "float16"},
        "The weights seem to be kept in fp16, and the gradient to be squared in it.",
    ),
)


def walk(inputs: Mapping[str, Any], dtypes: Mapping[str, str]) -> np.ndarray:
    """Weights (steps, n) of Adam with what ``dtypes`` names in fp16, the rest in float32.

    ``kept`` is what m and v are rounded to after each step; ``square`` is float32, float16 (as
    `second_moment` has it) or "first" (g * g rounded to fp16).
    ``update``, where given, is what the corrected m is multiplied by the rate in.
    """
    kind = {name: np.dtype(dtypes[name]) for name in ("weight", "m", "v")}
    gradients = inputs["gradients"].astype(np.float16)
    weight = inputs["start"].astype(kind["weight"])
    m, v = np.zeros(weight.size, kind["m"]), np.zeros(weight.size, kind["v"])
    path = []
    with np.errstate(all="ignore"):
        for step, gradient in enumerate(gradients, 1):
            m = 0.9 * m + 0.1 * gradient.astype(m.dtype)
            v = 0.999 * v + _second(gradient, dtypes["square"]).astype(v.dtype)
            root = np.sqrt(v / v.dtype.type(1 - 0.999**step)) + v.dtype.type(1e-8)
            mean = (m / m.dtype.type(1 - 0.9**step)).astype(dtypes.get("update", m.dtype))
            update = inputs["rate"] * mean / root
            weight = (weight - update).astype(kind["weight"])
            m, v = (moment.astype(dtypes["kept"]).astype(moment.dtype) for moment in (m, v))
            path.append(weight.astype(np.float16))
    return np.array(path, np.float64)


def _second(gradient: np.ndarray, square: str) -> np.ndarray:
    if square == "first":
        return np.float32(0.001) * (gradient * gradient).astype(np.float32)
    wide = gradient.astype(square)
    return wide.dtype.type(0.001) * wide * wide


def of_step(
    prop: str,
    inputs: Mapping[str, Any],
    got: np.ndarray,
    expected: np.ndarray,
    where: tuple[int, int],
) -> str:
    """A likely cause of wrong weights ``got`` (steps, n), first wrong at ``where``."""
    right = _distance(got, expected)
    known = [(_distance(got, walk(inputs, _WIDE | ways)), says) for ways, says in _KNOWN]
    near = min(distance for distance, _ in known)
    nearest = {says for distance, says in known if distance <= 1.001 * near}
    if near < 0.2 * right and len(nearest) == 1 and not np.isnan(got[where]):
        return nearest.pop()
    start = inputs["start"][where[1]]
    return _of_movement(prop, where[0], got[where] - start, expected[where] - start)


def _distance(one: np.ndarray, other: np.ndarray) -> float:
    """How far two paths are apart, on average; NaN or infinity beside a number counts as far."""
    with np.errstate(all="ignore"):
        apart = np.abs(one - other)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    return float(np.mean(np.where(same, 0.0, np.where(np.isfinite(apart), apart, 1e3))))


def _of_movement(prop: str, step: int, moved: float, wanted: float) -> str:
    """A likely cause from how far a weight has moved, and how far it should have."""
    if np.isnan(moved):
        return "That is 0 / 0: in which dtype are `v` and the `eps` that should keep it from 0?"
    if np.isinf(moved):
        return "Something was divided by 0: which square is too small for its dtype?"
    share = moved / wanted if wanted else 0.0
    if step == 0 and 1.5 < share < 3.5:
        return "`m` and `v` begin at 0 and are too small at first: what are they divided by?"
    if share < 0:
        return "That goes up the gradient. Which sign has an update?"
    if prop == "large" and share < 0.97:
        return (
            "Something became infinite: the square of the gradient, or `v` where it is divided by "
            "`1 - beta2 ** step`. In which dtype are they?"
        )
    if prop == "small":
        return _SMALL[share < 0.97]
    return _FOLLOWS if prop == "follows" else ""


_SMALL = {
    True: "It moves too little. Is something larger than such a gradient added below the line? "
    "`eps` belongs to `v.sqrt()`, and 1e-8 is no problem in float32.",
    False: "It moves too far: `v` is too small. In which dtype is the gradient squared?",
}
_FOLLOWS = (
    "Is one of the three that go from step to step (weights, `m`, `v`), or what goes into them, in "
    "16 bits?"
)
