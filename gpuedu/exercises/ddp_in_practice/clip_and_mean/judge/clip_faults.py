"""clip-and-mean, `finish`: gradients and norm against those of one process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.compare import is_close, show, show_apart
from gpuedu.exercises.contract import Case, Fault

REL = 1e-5
"""PyTorch's own ``clip_grad_norm_`` adds 1e-6 to the norm that it divides by."""
Gradients = Sequence[np.ndarray]


def clip_faults(case: Case, ranks: Sequence[Mapping[str, Any]]) -> Iterable[Fault]:
    """Of gradients by rank, and of the norms that were returned."""
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
                message += ", in another direction"
            yield Fault(prop, message, _cause(mine, by_rank, rank, limit))
            break
    for rank, got in enumerate(one["norm"] for one in ranks):
        if not is_close(got, norm, REL):
            told, wanted = show_apart(got, norm)
            message = f"`finish` returned {told} on rank {rank}, expected {wanted}"
            yield Fault("norm", message, _norm_cause(got, by_rank, rank, limit))
            return


def _mean(by_rank: Sequence[Gradients]) -> Gradients:
    return [np.mean(column, axis=0) for column in zip(*by_rank, strict=True)]


def _norm(gradients: Gradients) -> float:
    return float(np.sqrt(sum((one**2).sum() for one in gradients)))


def _clipped(gradients: Gradients, limit: float) -> Gradients:
    share = min(1.0, limit / _norm(gradients))
    return [one * share for one in gradients]


def _alike(mine: Gradients, theirs: Gradients) -> bool:
    scale = max(np.abs(one).max() for one in theirs)
    pairs = zip(mine, theirs, strict=True)
    return all(bool((np.abs(a - b) <= REL * scale).all()) for a, b in pairs)


def _each(clip: Callable[[Gradients, float], Gradients]) -> Callable[..., Gradients]:
    return lambda by_rank, rank, limit: clip(_mean(by_rank), limit)


def _scaled_up(gradients: Gradients, limit: float) -> Gradients:
    return [one * (limit / _norm(gradients)) for one in gradients]


def _one_by_one(gradients: Gradients, limit: float) -> Gradients:
    return [_clipped([one], limit)[0] for one in gradients]


def _elements(gradients: Gradients, limit: float) -> Gradients:
    return [np.clip(one, -limit, limit) for one in gradients]


def _added_norms(gradients: Gradients, limit: float) -> Gradients:
    share = min(1.0, limit / sum(_norm([one]) for one in gradients))
    return [one * share for one in gradients]


def _clip_first(by_rank: Sequence[Gradients], rank: int, limit: float) -> Gradients:
    return _mean([_clipped(mine, limit) for mine in by_rank])


def _own(by_rank: Sequence[Gradients], rank: int, limit: float) -> Gradients:
    return _clipped(by_rank[rank], limit)


def _sum(by_rank: Sequence[Gradients], rank: int, limit: float) -> Gradients:
    return _clipped([len(by_rank) * one for one in _mean(by_rank)], limit)


def _untouched(gradients: Gradients, limit: float) -> Gradients:
    return gradients


MISTAKES: tuple[tuple[Callable[..., Gradients], str], ...] = (
    (
        _clip_first,
        "Each rank clipped its own, and the clipped ones were averaged. A rank with a long "
        "gradient then counts less than its samples should.",
    ),
    (_own, "Each rank has its own gradient still, clipped: they were not averaged."),
    (_each(_untouched), "That is the mean, not clipped."),
    (_each(_scaled_up), "That scales up: what is shorter than `max_norm` stays as it is."),
    (_each(_one_by_one), "Each parameter was clipped by a norm of its own; there is one for all."),
    (_each(_elements), "Each element was limited. What is limited is the norm of all together."),
    (
        _each(_added_norms),
        "That divides by the sum of the parameters' norms. The norm of all is the root of the sum "
        "of their squares.",
    ),
    (_sum, "That is the sum over the ranks, clipped, not the mean."),
)


def _cause(mine: Gradients, by_rank: Sequence[Gradients], rank: int, limit: float) -> str:
    for slip, says in MISTAKES:
        if _alike(mine, slip(by_rank, rank, limit)):
            return says
    return ""


def _norm_cause(got: float, by_rank: Sequence[Gradients], rank: int, limit: float) -> str:
    mean, own = _mean(by_rank), [_norm(mine) for mine in by_rank]
    known = {
        "That is the norm of the rank's own gradient.": own[rank],
        "That is the mean of the ranks' norms. A mean is shorter than what it is the mean of.": sum(
            own
        )
        / len(own),
        "That is the norm after the clipping.": min(limit, _norm(mean)),
        "That is the norm of all ranks' gradients, one after the other.": float(
            np.sqrt(sum(one**2 for one in own))
        ),
        "That is the square of the norm.": _norm(mean) ** 2,
        "That is the sum of the parameters' norms.": sum(_norm([one]) for one in mean),
        "That is the largest of the parameters' norms.": max(_norm([one]) for one in mean),
        "That is the largest element of the mean.": max(np.abs(one).max() for one in mean),
        "That is the largest of the ranks' norms.": max(own),
        "That is the norm of the sum over the ranks.": len(own) * _norm(mean),
    }
    return next((says for says, value in known.items() if is_close(got, value, REL)), "")
