# Old time over new time with both multiplied by n.
def amdahl(p, n):
    return n / (n * (1 - p) + p)


def amdahl_limit(p):
    with np.errstate(divide="ignore"):  # NumPy divides by zero, and gives infinity
        return np.divide(1.0, 1 - p)


def gustafson(p, n):
    return n - (1 - p) * (n - 1)


def share_for(speedup, n):
    if speedup > n or speedup < 1:
        return float("nan")
    if n == 1:
        return np.nan  # every share gives a speed-up of 1 there
    return n * (speedup - 1) / (speedup * (n - 1))
