# loses: share
# thinks the share is speed-up per worker
def share_for(speedup, n):
    return speedup / n if speedup <= n else math.nan
