"""The laws of quantize: what holds of codes, scales and zero points, whoever computed them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault, show
from gpuedu.exercises.contract import Case, Fault, Finding, Plain, Undecided

_HALF = 0.501
"""Half a step, and what float32 may add to it."""
_ZERO_ASKS = "How many steps is 0 above the group's low end, and what's the largest code?"
"""A zero point is no weight's code."""
_NEEDED = 1 + 1e-5
"""How much larger than needed a step may be: float32 rounds it."""
_FAR = 4.0
"""Steps that are so many times larger than needed: nearly any code is within half of one."""
OTHERS = 10
"""Arrays of codes: no two places have the same codes in all of them."""


def _each(one: np.ndarray, group: int) -> np.ndarray:
    """What groups have, (rows, groups), for each of their columns."""
    return np.repeat(one.astype(np.float64), group, axis=1)


def _needed(case: Case) -> np.ndarray:
    """The step of each group (rows, groups) with which its codes just reach over its weights."""
    w, group = case.inputs["w"].astype(np.float64), case.inputs["group"]
    parts = w.reshape(w.shape[0], -1, group)
    reach = np.maximum(parts.max(axis=2), 0) - np.minimum(parts.min(axis=2), 0)
    return reach / (2 ** case.inputs["bits"] - 1)


def _called(case: Case) -> str:
    return f"`quantize(w, {case.inputs['bits']}, {case.inputs['group']})`"


def _of_group(case: Case, row: int, column: int) -> str:
    """The group of an element, with what it reaches over, as a learner can look it up."""
    size = case.inputs["group"]
    first = column // size * size
    part = case.inputs["w"][row, first : first + size]
    place = f"`w[{row}, {first}:{first + size}]`"
    return f"{place}, which lies between {show(float(part.min()))} and {show(float(part.max()))}"


def judge_range(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Codes and zero points are no larger than the largest code."""
    most = 2 ** case.inputs["bits"] - 1
    for name in ("codes", "zero"):
        beyond = np.argwhere(observed[name] > most)
        if beyond.size:
            i, j = beyond[0]
            told = f"is {observed[name][i, j]}, and the largest code is {most}"
            asks = _ZERO_ASKS if name == "zero" else ""
            yield Fault("range", f"{_called(case)}: `{name}[{i}, {j}]` {told}", asks)
            return


def judge_error(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Each weight is within half a step of what its code stands for."""
    needed = _needed(case)
    if ((needed > 0) & (observed["scale"] > _FAR * needed)).any():
        told = "steps are so large that half of one is no bound for a weight"
        yield Undecided("error", f"{_called(case)}: {told}")
        return
    w, group = case.inputs["w"].astype(np.float64), case.inputs["group"]
    step = _each(observed["scale"], group)
    back = step * (observed["codes"].astype(np.float64) - _each(observed["zero"], group))
    off = np.abs(w - back)
    wrong = np.argwhere(~(off <= _HALF * step))
    if wrong.size:
        i, j = (int(one) for one in wrong[0])
        yield Fault(
            "error",
            f"{_called(case)}: `w[{i}, {j}]` is {show(float(w[i, j]))} and comes back as "
            f"{show(float(back[i, j]))}, with steps of {show(float(step[i, j]))} "
            f"({len(wrong)} of {w.size} {'is' if len(wrong) == 1 else 'are'} off by more than half "
            f"a step). It's in {_of_group(case, i, j)}",
        )


def judge_step(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """No step is larger than it has to be."""
    needed = _needed(case)
    wrong = np.argwhere((needed > 0) & ~(observed["scale"] <= _NEEDED * needed))
    if wrong.size:
        i, j = (int(one) for one in wrong[0])
        yield Fault(
            "step",
            f"{_called(case)}: `scale[{i}, {j}]` is {show(float(observed['scale'][i, j]))}, and "
            f"{show(float(needed[i, j]))} is enough for "
            f"{_of_group(case, i, j * case.inputs['group'])}",
        )


def judge_zero(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """The code of a weight of 0 is the zero point of its group."""
    zero = np.repeat(observed["zero"], case.inputs["group"], axis=1)
    wrong = np.argwhere((case.inputs["w"] == 0) & (observed["codes"] != zero))
    if wrong.size:
        i, j = wrong[0]
        yield Fault(
            "zero",
            f"{_called(case)}: `w[{i}, {j}]` is 0, its code is {observed['codes'][i, j]}, and the "
            f"zero point of its group is {zero[i, j]}",
        )


def judge_zeros(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """A group of zeros has the scale 1, and comes back as zeros."""
    size = case.inputs["group"]
    for i, j in np.argwhere(_needed(case) == 0):
        place = f"`w[{i}, {j * size}:{(j + 1) * size}]` is all zeros"
        if observed["scale"][i, j] != 1:
            scale = show(float(observed["scale"][i, j]))
            yield Fault("zeros", f"{_called(case)}: {place}, and `scale[{i}, {j}]` is {scale}")
            return
        codes, zero = observed["codes"][i, j * size : (j + 1) * size], observed["zero"][i, j]
        if (codes != zero).any():
            yield Fault(
                "zeros",
                f"{_called(case)}: {place}, its codes are {codes.tolist()}, and its zero point is "
                f"{zero}",
            )
            return


def judge_back(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """``dequantize`` gives scale * (code - zero)."""
    codes, scale, zero = (case.inputs[name] for name in ("codes", "scale", "zero"))
    group = codes.shape[1] // scale.shape[1]
    truth = _each(scale, group) * (codes.astype(np.float64) - _each(zero, group))
    slack = 1e-6 * np.abs(truth)
    yield from array_fault("back", observed["result"], truth, tolerance=slack, name="result")


def judge_packed(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """``unpack`` gives the codes back that ``pack`` was given, and takes all of them from bytes."""
    codes, back = case.inputs["codes"], observed["unpacked"]
    wrong = np.argwhere(codes != back)
    if wrong.size:
        i, j = wrong[0]
        yield Fault(
            "packed",
            f"`codes[{i}, {j}]` is {codes[i, j]}, and {back[i, j]} after `unpack(pack(codes))` "
            f"({len(wrong)} of {codes.size} {'is' if len(wrong) == 1 else 'are'} wrong). Row {i} "
            f"starts with {codes[i, :4].tolist()}, and its bytes with "
            f"{observed['packed'][i, :2].tolist()}",
        )
        return
    yield from _judge_bytes(case, observed)


def _judge_bytes(case: Case, observed: Plain) -> Iterable[Fault]:
    """Each half of a byte is a code, wherever it lies; and bytes of no array have theirs, too."""
    all_codes = np.concatenate([case.inputs["codes"][None], case.inputs["others"]])
    all_bytes = np.concatenate([observed["packed"][None], observed["packed_others"]])
    places = {one.tobytes(): at for at, one in enumerate(all_codes.reshape(1 + OTHERS, -1).T)}
    halves = _halves(all_bytes).reshape(1 + OTHERS, -1).T
    lies = [places.get(one.tobytes()) for one in halves]
    if None in lies:
        i, j = np.unravel_index(lies.index(None) // 2, case.inputs["strange"].shape)
        yield Fault(
            "packed",
            f"the byte `packed[{i}, {j}]` has an upper or a lower half that is none of the codes",
        )
        return
    wanted = np.empty(case.inputs["codes"].size, np.uint8)
    wanted[lies] = _halves(case.inputs["strange"]).ravel()
    wrong = np.argwhere(observed["unpacked_strange"] != wanted.reshape(case.inputs["codes"].shape))
    if wrong.size:
        i, j = wrong[0]
        got = observed["unpacked_strange"][i, j]
        told = f"element [{i}, {j}] of `unpack(packed)` is {got}, and its byte has another code"
        yield Fault("packed", f"{told}, where `packed` came from nowhere but a file")


def _halves(packed: np.ndarray) -> np.ndarray:
    """The lower and the upper 4 bits of each byte, along a new last axis."""
    return np.stack([packed & 15, packed >> 4], axis=-1)


def judge_inputs(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """What a function was given is as it was."""
    before = {name: case.inputs[name] for name in case.inputs if f"{name}_after" in observed}
    if case.inputs["call"] == "pack":
        before["packed"] = observed["packed"]
    for name, was in before.items():
        changed = np.argwhere(was != observed[f"{name}_after"])
        if changed.size:
            i, j = changed[0]
            now = observed[f"{name}_after"][i, j]
            function = "unpack" if name == "packed" else case.inputs["call"]
            yield Fault(
                "inputs",
                f"`{name}[{i}, {j}]` was {show(was[i, j].item())} before `{function}` and is "
                f"{show(now.item())} after it",
            )
            return
