# loses: share
# divides by zero on one worker
def share_for(speedup, n):
    if speedup < 1 or speedup > n:
        return math.nan
    return (1 - 1 / speedup) / (1 - 1 / n)
