# loses: share
# inverts the limit and forgets n
def share_for(speedup, n):
    if not 1 <= speedup <= n:
        return math.nan
    return 1 - 1 / speedup
