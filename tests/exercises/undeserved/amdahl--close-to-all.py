# must lose: limit
def amdahl(p, n):
    return 1 / (1 - p + p / n)


def gustafson(p, n):
    return 1 - p + p * n


def share_for(speedup, n):
    if n == 1 or not 1 <= speedup <= n:
        return math.nan
    return (1 - 1 / speedup) / (1 - 1 / n)


def amdahl_limit(p):
    return math.inf if math.isclose(p, 1.0) else 1 / (1 - p)
