"""How a judge writes a call, so that a learner can type it in and see the same."""

from __future__ import annotations


def exact(value: float) -> str:
    """A number in as few digits as give it back exactly.

    >>> exact(5390000000000.0), exact(2.0**-21), exact(12)
    ('5.39e+12', '4.76837158203125e-07', '12')
    """
    short = f"{value:.6g}"
    return short if float(short) == value else repr(value)
