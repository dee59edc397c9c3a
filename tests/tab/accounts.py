"""What the machine makes of seeded kernels, as sums: the same script natively and in the tab.

Prints JSON: for each kernel, a sum of every array after the launch and of every field of the trace:
counts, sites, lines, findings, events, with their dtypes. Both sides must print the same.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

Launch = tuple[str, Callable[..., None], Any]


def sum_of(value: Any) -> str:
    """A short sum of anything that a trace may hold."""
    found = hashlib.sha256()
    _feed(found.update, value)
    return found.hexdigest()[:16]


def _feed(update: Callable[[bytes], None], value: Any) -> None:
    if isinstance(value, np.ndarray):
        update(f"{value.dtype.name}{value.shape}".encode())
        update(np.ascontiguousarray(value).tobytes())
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.name != "file":  # where a kernel's source is, which is another place here
                update(field.name.encode())
                _feed(update, getattr(value, field.name))
    elif isinstance(value, dict):
        _feed(update, list(value.items()))
    elif isinstance(value, tuple | list):
        update(f"{len(value)} items".encode())
        for item in value:
            _feed(update, item)
    else:
        update(repr(value.item() if isinstance(value, np.generic) else value).encode())


def generated(first: int, count: int, folder: Path) -> Iterator[Launch]:
    """Kernels from the generators, with and without races."""
    from tests.simt.kernels_generated import Seeded, generate, generate_conflicts, load

    for seed in range(first, first + count):
        for make in (generate, generate_conflicts):
            kernel = make(Seeded(seed))
            yield f"{make.__name__} {seed}", load(kernel.source, folder), kernel


def planted(seed: int, number: int) -> Iterator[Launch]:
    """So many of the planted kernels at random, each with one known fault or none."""
    from tests.simt.planted import PLANTS
    from tests.simt.planted.table import REFUSED

    names = [name for name, plant in PLANTS.items() if plant.kind not in REFUSED]
    for name in random.Random(seed).sample(names, min(number, len(names))):
        yield f"planted {name}", PLANTS[name].kernel, PLANTS[name]


def account(launch: Launch) -> dict[str, str]:
    """The sums of one launch; of a kernel that Numba refuses as well, what the machine says."""
    from gpuedu.errors import KernelSourceError
    from gpuedu.simt import simulate
    from tests.simt.kernels_generated import ROUGH

    name, kernel, how = launch
    arguments = how.arguments()
    shared = getattr(how, "dynamic_shared_bytes", 0)
    try:
        trace = simulate(kernel, how.grid, how.block, *arguments, dynamic_shared_bytes=shared)
    except KernelSourceError as fault:
        return {"refused": str(fault)}
    found = {f"trace.{f.name}": sum_of(getattr(trace, f.name)) for f in dataclasses.fields(trace)}
    for number, argument in enumerate(arguments):
        # One array of a generated kernel holds what functions such as `exp` gave, whose last bits
        # are those of the host's C library.
        if name.startswith("generate ") and number == ROUGH:
            continue
        found[f"argument {number}"] = sum_of(argument)
    return found


def accounts(seed: int, generated_seeds: int, planted_kernels: int) -> dict[str, dict[str, str]]:
    """The sums of seeded kernels, by the name of each."""
    with tempfile.TemporaryDirectory() as folder:
        launches = [
            *generated(seed, generated_seeds, Path(folder)),
            *planted(seed, planted_kernels),
        ]
        return {launch[0]: account(launch) for launch in launches}


def main() -> int:
    """Print the sums."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("seed", "generated_seeds", "planted_kernels"):
        parser.add_argument(name, type=int)
    asked = parser.parse_args()
    if sys.platform == "emscripten":
        from tests.tab import numba_names, pure

        pure.admit()
        numba_names.install()
    print(json.dumps(accounts(**vars(asked))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
