# Computes with exact fractions of integers and returns them.
from fractions import Fraction


def amdahl(p, n):
    p = Fraction(p)
    return 1 / (1 - p + p / n)


def amdahl_limit(p):
    return math.inf if p == 1 else 1 / (1 - Fraction(p))


def gustafson(p, n):
    p = Fraction(p)
    return 1 - p + p * n


def share_for(speedup, n):
    if n == 1 or not 1 <= speedup <= n:
        return math.nan
    return (1 - 1 / Fraction(speedup)) / (1 - Fraction(1, n))
