"""What right votes are, and which slip gives the distances or votes that were got."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.compare import Misconception, likely_cause


def true_votes(distances: np.ndarray, labels: np.ndarray, k: int, classes: int) -> np.ndarray:
    """(m,) labels by the rule: nearer first, then the smaller index; then the smaller label."""
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    votes = (labels[nearest][:, :, None] == np.arange(classes)).sum(axis=1)
    return votes.argmax(axis=1)


def _largest_on_tie(distances: np.ndarray, labels: np.ndarray, k: int, classes: int) -> np.ndarray:
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    votes = (labels[nearest][:, :, None] == np.arange(classes)).sum(axis=1)
    return classes - 1 - votes[:, ::-1].argmax(axis=1)


def _farthest(distances: np.ndarray, labels: np.ndarray, k: int, classes: int) -> np.ndarray:
    farthest = np.argsort(distances, axis=1, kind="stable")[:, -k:]
    votes = (labels[farthest][:, :, None] == np.arange(classes)).sum(axis=1)
    return votes.argmax(axis=1)


def _mean_label(distances: np.ndarray, labels: np.ndarray, k: int, classes: int) -> np.ndarray:
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.rint(labels[nearest].mean(axis=1)).astype(np.int64)


_VOTE_SLIPS = (
    Misconception(_farthest, "These are the votes of the *farthest* points."),
    Misconception(_largest_on_tie, "Where two labels have equally many votes, the smaller wins."),
    Misconception(_mean_label, "That is the mean of the labels. Which label occurs most often?"),
    Misconception(
        lambda distances, labels, k, classes: true_votes(distances, labels, 1, classes),
        "That is the label of the nearest point alone. What about the other k - 1?",
    ),
    Misconception(
        lambda distances, labels, k, classes: true_votes(distances, labels, labels.size, classes),
        "That is the vote of all points. Which of them are the k nearest?",
    ),
)
_TIES = (
    "`argpartition`, and `argsort` as it comes, may take equal elements in any order. `argsort` "
    'with `kind="stable"` keeps them in order, in both libraries.'
)


def distance_slip(
    got: np.ndarray, q: np.ndarray, p: np.ndarray, right: np.ndarray, tolerance: np.ndarray
) -> str:
    """The sentence of the known slip that gives these distances."""
    squares = (q**2).sum(1)[:, None] + (p**2).sum(1)
    known = (
        (np.sqrt(right), "These are distances; the *squared* distances are asked for."),
        (squares, "The product is missing: (q - p)**2 is q**2 - 2 q p + p**2."),
        (squares - q @ p.T, "(q - p)**2 is q**2 - 2 q p + p**2: is the 2 there?"),
        (squares + 2 * q @ p.T, "(q - p)**2 is q**2 - 2 q p + p**2: is the sign right?"),
        (np.abs(q[:, None] - p).sum(2), "That is the sum of |q - p|. Squares are asked for."),
        (right / q.shape[1], "That is the mean over the features. The sum is asked for."),
    )
    return next((says for gives, says in known if (np.abs(got - gives) <= tolerance).all()), "")


def vote_slip(
    got: np.ndarray, distances: np.ndarray, labels: np.ndarray, k: int, classes: int
) -> str:
    """The sentence of the known slip that gives these votes, or nothing."""
    inputs = {"distances": distances, "labels": labels, "k": k, "classes": classes}
    known = likely_cause(got.astype(np.int64), _VOTE_SLIPS, inputs)
    return known or _unstable(got, **inputs)


def _unstable(
    got: np.ndarray, distances: np.ndarray, labels: np.ndarray, k: int, classes: int
) -> str:
    """What is said where only rows with equal elements at the border of the k are wrong."""
    if k == distances.shape[1]:
        return ""
    ordered = np.sort(distances, axis=1)
    clear = ordered[:, k - 1] < ordered[:, k]
    right = true_votes(distances, labels, k, classes)
    return _TIES if np.array_equal(got[clear], right[clear]) else ""
