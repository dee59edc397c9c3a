"""bandwidth: bytes over time, with every array that travels counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.compare import Misconception, is_close, likely_cause, number_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

ARRAYS = {"copy": 2, "scale": 2, "add": 3, "triad": 3}
_GB = 1e9
_OTHER_UNITS = {
    2**30: "That is in GiB (2**30 bytes). Data sheets print GB: 1e9 bytes.",
    1.0: "That is in bytes per second. One GB is 1e9 bytes.",
    1e3: "That is in kB/s. One GB is 1e9 bytes.",
    1e6: "That is in MB/s. One GB is 1e9 bytes.",
    1e12: "That is in TB/s. One GB is 1e9 bytes.",
    _GB / 8: "That is in gigabits: 8 of them make a gigabyte.",
}


def _rate(arrays: float, inputs: Mapping[str, Any], itemsize: int = 0, unit: float = _GB) -> float:
    size = itemsize or inputs["itemsize"]
    return arrays * inputs["n"] * size / inputs["time_s"] / unit


def _counting(arrays: int, says: str) -> Misconception:
    return Misconception(lambda **inputs: _rate(arrays, inputs), says)


_COUNTS = (
    _counting(1, "That counts one array. What about the one that is written?"),
    _counting(2, "That counts two arrays. This kernel reads two and writes a third."),
    _counting(3, "That counts three arrays. Which ones does this kernel touch?"),
    _counting(4, "That counts four arrays. Which ones does this kernel touch?"),
    Misconception(
        lambda **inputs: _rate(ARRAYS[inputs["kernel"]], inputs, 1),
        "That counts elements, not bytes. Which argument is not used yet?",
    ),
    Misconception(
        lambda **inputs: _rate(ARRAYS[inputs["kernel"]], inputs, 4),
        "That takes every element for 4 bytes. Which argument is not used yet?",
    ),
)
_NO_RATES = (
    Misconception(
        lambda **inputs: 1 / _rate(ARRAYS[inputs["kernel"]], inputs, unit=1 / _GB),
        "That is upside down: bytes divided by seconds.",
    ),
    Misconception(
        lambda **inputs: _rate(ARRAYS[inputs["kernel"]], inputs) * inputs["time_s"],
        "That is how much was moved. In what time?",
    ),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """Each kernel with its own size, time and element size.

    Elements of 16 bytes come first: with 8 bytes, forgetting the write and taking elements for 4
    bytes give the same number.
    """
    drawn = []
    for kernel, itemsize, name in (
        ("copy", 16, "two-arrays"),
        ("scale", 4, "two-arrays"),
        ("add", 16, "three-arrays"),
        ("triad", 4, "three-arrays"),
        ("scale", 8, "itemsize"),
        ("triad", 2, "itemsize"),
    ):
        n = int(rng.integers(10**5, 10**8))
        rate = rng.uniform(5e9, 4e12)
        time_s = float(f"{ARRAYS[kernel] * n * itemsize / rate:.3g}")
        inputs = {"kernel": kernel, "n": n, "itemsize": itemsize, "time_s": time_s}
        label = f"{kernel} of {n} elements of {itemsize} bytes in {time_s} s"
        drawn.append(Case(label, inputs, (name, "unit")))
    return drawn


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The count by its own property; a right count in another unit loses only the unit."""
    inputs = case.inputs
    got, expected = observed["gb_per_s"], _rate(ARRAYS[inputs["kernel"]], inputs)
    given = ", ".join(repr(inputs[name]) for name in ("kernel", "n", "itemsize", "time_s"))
    call = f"bandwidth_gb_per_s({given})"
    for unit, says in _OTHER_UNITS.items():
        if is_close(got, _rate(ARRAYS[inputs["kernel"]], inputs, unit=unit), 1e-6):
            yield from number_fault("unit", call, got, expected, unit="GB/s", cause=says)
            return
    cause = likely_cause(got, _COUNTS, inputs, 1e-6)
    faults = list(number_fault(case.decides[0], call, got, expected, unit="GB/s", cause=cause))
    yield from faults
    if faults and not cause:  # nothing shows that this is a rate in GB/s at all
        cause = likely_cause(got, _NO_RATES, inputs, 1e-6)
        yield Fault("unit", faults[0].message, cause)


JUDGE = Judge(
    title="How many bytes per second is that?",
    properties=(
        Property("two-arrays", "copy and scale count the array read and the array written", 1),
        Property("three-arrays", "add and triad count three arrays", 1),
        Property("itemsize", "works for elements of any size", 1),
        Property("unit", "the result is in GB/s, with 1 GB = 1e9 bytes", 1),
    ),
    hints=(
        "Write down, for each of the four lines of code, which arrays are read and which one is "
        "written. Is the scalar `s` an array?",
        "Copy and scale touch 2 arrays, add and triad 3. Each array is `n * itemsize` bytes.",
        "Count the arrays by the kernel's name, multiply by the bytes of one array, divide by the "
        "time, and then by `1e9`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "bandwidth": Prediction(
            "how many milliseconds does it take to add two arrays of 64 MB on this machine?",
            unit="ms",
            because="Three arrays travel, 192 MB in all: divide that by what the memory reaches.",
        )
    },
)
