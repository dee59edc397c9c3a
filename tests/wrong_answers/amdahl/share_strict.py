# loses: share
# thinks the whole n-fold is out of reach
def share_for(speedup, n):
    if not 1 <= speedup < n:
        return math.nan
    return (1 - 1 / speedup) / (1 - 1 / n)
