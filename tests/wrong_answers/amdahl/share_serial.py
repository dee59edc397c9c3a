# loses: share
# gives the serial share
def share_for(speedup, n):
    if not 1 <= speedup <= n:
        return math.nan
    return 1 - (1 - 1 / speedup) / (1 - 1 / n) if n > 1 else 0.0
