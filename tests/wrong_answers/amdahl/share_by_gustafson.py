# loses: share
# inverts the other law
def share_for(speedup, n):
    if not 1 <= speedup <= n:
        return math.nan
    return (speedup - 1) / (n - 1) if n > 1 else 0.0
