# loses: share
# forgets that no share makes it slower
def share_for(speedup, n):
    if speedup > n:
        return math.nan
    return (1 - 1 / speedup) / (1 - 1 / n) if n > 1 else 0.0
