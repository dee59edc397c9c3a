"""bandwidth: bytes over time, with every array that travels counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gpuedu.exercises.compare import is_close
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.functions import arguments_of, result_faults

ARRAYS = {"copy": 2, "scale": 2, "add": 3, "triad": 3}
_LARGE, _FEW = (10**5, 10**8), (2, 10)
_GB = 1e9
_OTHER_UNITS = (1.0, 1e3, 1e6, 1e12, _GB / 8, 2.0**30)


def rate(kernel: str, n: int, itemsize: int, time_s: float) -> float:
    """GB/s with every array counted that is read or written."""
    return ARRAYS[kernel] * n * itemsize / time_s / _GB


def cases(rng: np.random.Generator) -> list[Case]:
    """Each kernel with its own size, time and element size.

    Elements of 16 bytes come first: with 8 bytes, forgetting the write and taking elements for 4
    bytes give the same number. With a few elements only, the number ``s`` would count.
    """
    drawn = []
    for kernel, itemsize, name, sizes in (
        ("copy", 16, "two-arrays", _LARGE),
        ("scale", 4, "two-arrays", _LARGE),
        ("add", 16, "three-arrays", _LARGE),
        ("triad", 4, "three-arrays", _LARGE),
        ("scale", 8, "itemsize", _LARGE),
        ("triad", 2, "itemsize", (10**9, 10**10)),
        ("scale", 4, "two-arrays", _FEW),
        ("triad", 4, "three-arrays", _FEW),
    ):
        n = int(rng.integers(*sizes))
        time_s = float(f"{ARRAYS[kernel] * n * itemsize / rng.uniform(5e9, 4e12):.3g}")
        inputs = {"kernel": kernel, "n": n, "itemsize": itemsize, "time_s": time_s}
        label = f"{kernel} of {n} elements of {itemsize} bytes in {time_s} s"
        drawn.append(Case(label, {"call": "bandwidth_gb_per_s", **inputs}, (name, "unit")))
    return drawn


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The count by its own property; a right count in another unit loses only the unit."""
    got, given = observed["result"], arguments_of(case)
    expected = rate(**given)
    if any(is_close(got, expected * _GB / unit, 1e-6) for unit in _OTHER_UNITS):
        yield from result_faults("unit", case, observed, expected, unit="GB/s")
        return
    faults = list(result_faults(case.decides[0], case, observed, expected, unit="GB/s"))
    yield from faults
    if faults and not any(is_close(got, other, 1e-6) for other in _other_counts(**given)):
        yield Undecided("unit", "no count of bytes gives that number, so it shows no unit")


def _other_counts(kernel: str, n: int, itemsize: int, time_s: float) -> Iterator[float]:
    """Rates in GB/s that come from another count of arrays, or of bytes of an element."""
    for arrays in range(1, 5):
        yield arrays * n * itemsize / time_s / _GB
    for size in (1, 4):
        yield rate(kernel, n, size, time_s)


JUDGE = Judge(
    title="How many bytes per second is that?",
    properties=(
        Property(
            "two-arrays",
            "copy and scale count the array read and the array written",
            1,
            "Which arrays does this kernel read, which one does it write, and how many bytes is "
            "each?",
        ),
        Property(
            "three-arrays",
            "add and triad count three arrays",
            1,
            "Which arrays does this kernel read, which one does it write, and how many bytes is "
            "each?",
        ),
        Property(
            "itemsize",
            "works for elements of any size",
            1,
            "Is every array counted, with `itemsize` bytes for each element?",
        ),
        Property(
            "unit",
            "the result is in GB/s, with 1 GB = 1e9 bytes",
            1,
            "How many bytes is one unit of your result, and how many is 1 GB?",
        ),
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
