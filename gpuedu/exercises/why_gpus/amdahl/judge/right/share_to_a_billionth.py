# The same search, given up when the range is a billionth wide.
def amdahl(p, n):
    return 1 / (1 - p + p / n)


def amdahl_limit(p):
    return math.inf if p == 1 else 1 / (1 - p)


def gustafson(p, n):
    return (1 - p) + p * n


def share_for(speedup, n):
    if n == 1 or not 1 <= speedup <= n:
        return math.nan
    low, high = 0.0, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if amdahl(middle, n) < speedup:
            low = middle
        else:
            high = middle
    return (low + high) / 2
