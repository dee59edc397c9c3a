"""clip-and-mean, `finish`: gradients and norm against those of one process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gpuedu.exercises.compare import is_close, show, show_apart
from gpuedu.exercises.contract import Case, Fault, Plain

REL = 1e-5
"""PyTorch's own ``clip_grad_norm_`` adds 1e-6 to the norm that it divides by."""
Gradients = Sequence[np.ndarray]


def test_clip(case: Case, observed: Plain) -> Iterable[Fault]:
    """Gradients by rank, and the norms that were returned."""
    ranks = observed["ranks"]
    prop, planted, limit = case.decides[0], case.inputs["gradients"], case.inputs["max_norm"]
    by_rank = [[one for one in mine if one is not None] for mine in planted]
    mean = _mean(by_rank)
    true, norm = _clipped(mean, limit), _norm(mean)
    for rank, one in enumerate(ranks):
        for place, (mine, own) in enumerate(zip(one["gradients"], planted[rank], strict=True)):
            if (mine is None) != (own is None) and (mine is None or np.any(mine)):
                told = "None" if mine is None else "not None"
                yield Fault(prop, f"on rank {rank} `p{place}.grad` is {told} after `finish`")
                return
        mine = [
            g for g, own in zip(one["gradients"], planted[rank], strict=True) if own is not None
        ]
        if not _alike(mine, true):
            got, wanted = show_apart(_norm(mine), _norm(true))
            message = (
                f"max_norm {show(limit)}, the mean has norm {show(norm)}: after `finish` rank "
                f"{rank}'s gradient has norm {got}, expected {wanted}"
            )
            if is_close(_norm(mine), _norm(true), REL):
                message += ", in a different direction"
            yield Fault(prop, message)
            break
    for rank, got in enumerate(one["norm"] for one in ranks):
        if not is_close(got, norm, REL):
            told, wanted = show_apart(got, norm)
            message = f"`finish` returned {told} on rank {rank}, expected {wanted}"
            yield Fault("norm", message)
            return


def _mean(by_rank: Sequence[Gradients]) -> Gradients:
    return [np.mean(column, axis=0) for column in zip(*by_rank, strict=True)]


def _norm(gradients: Gradients) -> float:
    return float(np.sqrt(sum((one**2).sum() for one in gradients)))


def _clipped(gradients: Gradients, limit: float) -> Gradients:
    norm = _norm(gradients)
    share = limit / norm if norm > limit else 1.0
    return [one * share for one in gradients]


def _alike(mine: Gradients, theirs: Gradients) -> bool:
    scale = max(np.abs(one).max() for one in theirs)
    pairs = zip(mine, theirs, strict=True)
    return all(bool((np.abs(a - b) <= REL * scale).all()) for a, b in pairs)
