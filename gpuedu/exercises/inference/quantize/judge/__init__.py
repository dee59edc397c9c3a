"""quantize: weights in 8 and 4 bits, judged by laws that any right answer keeps."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.contract import Case, Judge, Prediction, Property
from gpuedu.exercises.inference.quantize.judge import laws

_FULL = ("error", "step", "range", "zero", "inputs")


def cases(rng: np.random.Generator) -> list[Case]:
    """Matrices with one group in a row and with several, of any size, and groups that are odd."""
    found = [
        _weights(rng, (3, 8), 4, 8, _FULL),
        _weights(rng, (5, 24), 8, 24, _FULL),
        _weights(rng, (4, 48), 4, 16, _FULL),
        _weights(rng, (2, 96), 8, 32, _FULL, spread=1e-12),
        _weights(rng, (6, 12), 4, 2, _FULL, spread=30.0),
    ]
    for sign, says in ((1, "positive"), (-1, "negative")):
        w = sign * (np.abs(rng.normal(size=(3, 16))) + 2)
        found.append(_quantize(f"only {says} weights", w, 8 if sign > 0 else 4, 8, _FULL))
    w = rng.normal(size=(4, 32))
    w[rng.permutation(4), rng.integers(32, size=4)] = 40 * rng.choice([-1, 1], size=4)
    found.append(_quantize("a large weight in each row", w, 8, 8, _FULL))
    found += _ties(rng) + _equal(rng) + _codes(rng)
    codes = rng.permutation(256)
    pairs = np.stack([codes % 16, codes // 16], axis=1).reshape(16, 32).astype(np.uint8)
    odd = rng.integers(16, size=(5, 6)).astype(np.uint8)
    for says, one in (("5 x 6 codes", odd), ("every pair of codes", pairs)):
        found.append(_pack(rng, says, one))
    return found


def _pack(rng: np.random.Generator, says: str, codes: np.ndarray) -> Case:
    """Codes; others of that shape, which show what lies where in a byte; and bytes of no codes."""
    others = rng.integers(16, size=(laws.OTHERS, *codes.shape)).astype(np.uint8)
    strange = rng.integers(256, size=(codes.shape[0], codes.shape[1] // 2)).astype(np.uint8)
    given = {"call": "pack", "codes": codes, "others": others, "strange": strange}
    return Case(says, given, ("packed", "inputs"))


def _weights(
    rng: np.random.Generator,
    shape: tuple[int, int],
    bits: int,
    group: int,
    decides: tuple[str, ...],
    spread: float = 0.1,
) -> Case:
    """Normal weights, shifted by row so that 0 is not in the middle, of which some are 0."""
    w = spread * (rng.normal(size=shape) + rng.normal(size=(shape[0], 1)))
    w.flat[rng.choice(w.size, size=w.size // 8, replace=False)] = 0.0
    return _quantize(f"{shape[0]} x {shape[1]} weights", w, bits, group, decides)


def _quantize(says: str, w: np.ndarray, bits: int, group: int, decides: tuple[str, ...]) -> Case:
    inputs = {"call": "quantize", "w": w.astype(np.float32), "bits": bits, "group": group}
    return Case(f"{says} in {bits} bits, groups of {group}", inputs, decides)


def _ties(rng: np.random.Generator) -> list[Case]:
    """Groups of step 1 whose ends are halfway between two codes, so that both may round up."""
    found = []
    for bits, low in ((4, -1.5), (4, -8.5), (8, -100.5), (8, -1.5)):
        w = rng.integers(-1, 6, size=(2, 16)).astype(np.float64)
        w[:, [3, 12]] = low, low + 2**bits - 1
        found.append(_quantize("steps that end in halves", w, bits, 16, ("error", "range")))
    return found


def _equal(rng: np.random.Generator) -> list[Case]:
    """Groups of zeros, and groups of equal weights, between others."""
    found = []
    for bits, group in ((8, 8), (4, 4)):
        w = rng.normal(size=(3, 24))
        w[1, group : 2 * group] = 0.0
        w[2, :group] = 0.0
        found.append(_quantize("a group of zeros", w, bits, group, ("zeros",)))
        w = np.repeat(rng.normal(size=(3, 24 // group)), group, axis=1)
        found.append(_quantize("groups of equal weights", w, bits, group, ("error", "step")))
    found.append(_quantize("nothing but zeros", np.zeros((2, 8)), 4, 8, ("zeros",)))
    return found


def _codes(rng: np.random.Generator) -> list[Case]:
    """Codes below and above their zero points, to be turned back into weights."""
    found = []
    for (rows, columns), groups, most in (((3, 8), 1, 15), ((2, 48), 6, 255), ((7, 30), 3, 255)):
        inputs = {
            "call": "dequantize",
            "codes": rng.integers(most + 1, size=(rows, columns)).astype(np.uint8),
            "scale": rng.uniform(0.01, 2.0, size=(rows, groups)).astype(np.float32),
            "zero": rng.integers(1, most, size=(rows, groups)).astype(np.uint8),
        }
        label = f"{rows} x {columns} codes in groups of {columns // groups}"
        found.append(Case(label, inputs, ("back", "inputs")))
    return found


JUDGE = Judge(
    title="Weights in 8 and 4 bits",
    properties=(
        Property(
            "error",
            "each weight comes back within half a step of its group",
            2,
            "Take the group's smallest weight and its largest. Which code does each of them get, "
            "and what does that code stand for?",
            laws.judge_error,
        ),
        Property(
            "step",
            "no step is larger than its group needs",
            1,
            "How many steps are there from the first code to the last, and how far do the weights "
            "of this group reach?",
            laws.judge_step,
            after=("error",),
        ),
        Property(
            "range",
            "all codes and zero points fit in their bits",
            1,
            "Which weight of the group got this code, and which number was rounded for it?",
            laws.judge_range,
            after=("error",),
        ),
        Property(
            "zero",
            "a weight of 0 comes back as exactly 0",
            0.5,
            "Which whole number stands for 0 in this group, and where do you round it?",
            laws.judge_zero,
            after=("error",),
        ),
        Property(
            "zeros",
            "a group of zeros has the scale 1 and comes back as zeros",
            0.5,
            "What is the step of a group that reaches from 0 to 0, and what is divided by it?",
            laws.judge_zeros,
            after=("error",),
        ),
        Property(
            "back",
            "`dequantize` gives `scale * (code - zero)`",
            1,
            "Compute this element by hand. Which scale and which zero point belong to its column?",
            laws.judge_back,
        ),
        Property(
            "packed",
            "`pack` halves the bytes, and `unpack` gives all codes back",
            1,
            "Write the two codes of one byte down in binary, and the byte. Which bits are whose?",
            laws.judge_packed,
        ),
        Property(
            "inputs",
            "the arrays that a function is given stay as they are",
            1,
            "The caller may need its arrays again. Which line writes into one of them?",
            laws.judge_inputs,
            after=("error", "back", "packed"),
        ),
    ),
    hints=(
        "`w.reshape(rows, columns // group, group)` has an axis for the groups. Its `.min(axis=2)` "
        "has the smallest weight of each, and `scale[:, :, None]` has three axes again.",
        "A group reaches from min(0, smallest) to max(0, largest), with 2**bits - 1 steps in "
        "between. The zero point is how many steps 0 is above the low end, rounded. A code is the "
        "weight in steps, rounded, plus the zero point. At the ends, rounding both can lead one "
        "code too far: `np.clip`.",
        "In uint8, 3 - 5 is 254: turn codes into float32 before you subtract. To pack, shift every "
        "second code up by 4 bits and join it with the one before by `|`; `& 15` and `>> 4` take "
        "them apart.",
    ),
    cases=cases,
    predictions={
        "quantize": Prediction(
            "The weights of a row lie between -0.08 and 0.08, except for one, which is 10.12. In 8 "
            "bits, 256 codes cover this range in equal steps. How many different codes do all the "
            "other weights get?",
            truth=5,
            unit="codes",
            because="A step is 10.2 / 255 = 0.04, and from -0.08 to 0.08 there are 4 steps: 5 "
            "codes. The other 251 are there for a single weight.",
            exact=True,
        ),
    },
)
