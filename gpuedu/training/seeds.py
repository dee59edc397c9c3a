"""One seed for every source of chance in a training run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch


def seed_all(seed: int) -> None:
    """Seed Python's, NumPy's and PyTorch's global generators, on every device.

    The same seed gives the same run on the same machine with the same number of threads. It does
    not give the same bits elsewhere: sums are taken in a different order there (PyTorch
    documentation, "Reproducibility").

    Args:
        seed: from 0 to 2**32 - 1, the range of NumPy's.

    Raises:
        ValueError: for a seed outside that range.

    >>> seed_all(3); first = torch.rand(2)
    >>> seed_all(3); bool((torch.rand(2) == first).all())
    True
    """
    np.random.seed(seed)
    random.seed(seed)
    torch.manual_seed(seed)


def generator(*numbers: int) -> torch.Generator:
    """A separate generator on the CPU, seeded by one or more numbers, that nothing else uses.

    >>> torch.rand(1, generator=generator(1, 2)) == torch.rand(1, generator=generator(1, 2))
    tensor([True])
    """
    # Their count goes in too: zeros at the end add nothing to a SeedSequence.
    (seed,) = np.random.SeedSequence((len(numbers), *numbers)).generate_state(1, np.uint64)
    return torch.Generator().manual_seed(int(seed) % 2**63)


@contextmanager
def kept_random_state() -> Iterator[None]:
    """Put the global generators back, on every device, as they were before.

    >>> seed_all(3); first = torch.rand(2)
    >>> seed_all(3)
    >>> with kept_random_state():
    ...     seed_all(5)
    >>> bool((torch.rand(2) == first).all())
    True
    """
    python, array = random.getstate(), np.random.get_state()
    with torch.random.fork_rng():
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(array)
