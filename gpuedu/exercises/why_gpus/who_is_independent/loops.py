"""The ten loops of who-is-independent: the code that the notebook prints and the tests run.

Each is an ordinary function of a few lines. What counts is which steps must wait for which: a loop
whose steps need nothing from each other has a chain of length 1, however often it runs. An update
``x = f(x)`` counts as one step, whatever ``f`` has inside, as long as that does not grow with n.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

MENU = ("1", "log n", "n", "n**2")
"""Possible growth of the longest chain of dependent steps with n."""


@dataclass(frozen=True)
class Loop:
    """One loop: its name in the learner's dict, its code, and what n stands for."""

    name: str
    run: Callable[..., Any]
    n_is: str

    @property
    def source(self) -> str:
        """The function's code, as the notebook prints it."""
        return inspect.getsource(self.run)


def saxpy(a, x, y, out):
    """Scale one vector and add another."""
    for i in range(len(x)):
        out[i] = a * x[i] + y[i]


def blur(x, out):
    """Mean of three neighbors, into a new array."""
    for i in range(1, len(x) - 1):
        out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3


def grand_total(x):
    """Sum of all elements of a square matrix."""
    total = x[0, 0] * 0
    for row in range(len(x)):
        for column in range(len(x)):
            total = total + x[row, column]
    return total


def pairwise(x):
    """Sum of a vector, by adding neighbors, then neighbors of those."""
    while len(x) > 1:
        x = x[::2] + x[1::2]
    return x[0]


def prefix(x, out):
    """Running sum: each element with all before it."""
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = out[i - 1] + x[i]


def horner(c, x):
    """Value of a polynomial, highest coefficient first."""
    p = c[0]
    for i in range(1, len(c)):
        p = p * x + c[i]
    return p


def smooth(x):
    """Mean of each element and the one before it, in place."""
    for i in range(1, len(x)):
        x[i] = (x[i - 1] + x[i]) / 2


def chase(next_of, i):
    """Follow the links of a list, from place to place."""
    for _ in range(len(next_of)):
        i = next_of[i]
    return i


def logistic(r, x, n):
    """Growth that feeds on itself, update after update."""
    for _ in range(n):
        x = r * x * (1 - x)
    return x


def rnn(w, x):
    """The state of a small recurrent network after its last input."""
    h = x[0]
    for t in range(1, len(x)):
        h = np.tanh(w * h + x[t])
    return h


_LENGTH = "the number of elements of `x`"

LOOPS: tuple[Loop, ...] = (
    Loop("saxpy", saxpy, _LENGTH),
    Loop("blur", blur, _LENGTH),
    Loop("grand_total", grand_total, "the number of rows of `x`, which has as many columns"),
    Loop("pairwise", pairwise, _LENGTH + ", a power of two"),
    Loop("prefix", prefix, _LENGTH),
    Loop("horner", horner, "the number of coefficients in `c`"),
    Loop("smooth", smooth, _LENGTH),
    Loop("chase", chase, "the number of elements of `next_of`"),
    Loop("logistic", logistic, "the number of updates"),
    Loop("rnn", rnn, _LENGTH),
)
"""The loops, in the order in which the notebook shows them."""

NAMES = tuple(loop.name for loop in LOOPS)


def listing() -> str:
    """All ten loops as one text, each headed by what n stands for."""
    return "\n".join(f"# {loop.name}: n is {loop.n_is}\n{loop.source}" for loop in LOOPS)
