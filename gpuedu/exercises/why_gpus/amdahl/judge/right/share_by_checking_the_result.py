# Solves first and asks afterwards whether it is a share at all.
def amdahl(p, n):
    serial = 1 - p
    return 1 / (serial + p / n)


def amdahl_limit(p):
    try:
        return 1 / (1 - p)
    except ZeroDivisionError:
        return math.inf


def gustafson(p, n):
    return (1 - p) + p * n


def share_for(speedup, n):
    if n == 1:
        return math.nan
    p = (1 - 1 / speedup) / (1 - 1 / n)
    return p if 0 <= p <= 1 else math.nan
