"""PyTorch as a check wants it: one thread, seeded, and left as it was found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_torch(seed: int = 0) -> Iterator[None]:
    """One thread and a fixed seed inside; threads, random states, default dtype and mode restored.

    Equal on every machine with the same PyTorch, and for models this small one thread is also the
    fastest. The learner's notebook keeps its own random state: a check moves nothing of it.

    >>> import torch
    >>> with quiet_torch(1):
    ...     first = torch.rand(2)
    >>> with quiet_torch(1):
    ...     print(bool((torch.rand(2) == first).all()))
    True
    """
    import torch

    from gpuedu.training import seed_all
    from gpuedu.training.seeds import kept_random_state

    threads, dtype = torch.get_num_threads(), torch.get_default_dtype()
    grad = torch.is_grad_enabled()
    with kept_random_state():
        torch.set_num_threads(1)
        torch.set_grad_enabled(True)
        seed_all(seed)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
            torch.set_default_dtype(dtype)
            torch.set_grad_enabled(grad)
