"""Numbers that nobody wrote are seen: what is not initialized holds NaN."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unwritten_is_nan() -> Iterator[None]:
    """``torch.empty`` gives NaN meanwhile, so that a number which nobody wrote is seen."""
    import torch

    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)  # fills what is not initialized
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)
