# loses: share
# cuts the share to the range from 0 to 1
def share_for(speedup, n):
    p = (1 - 1 / speedup) / (1 - 1 / n) if n > 1 else 0.0
    return min(max(p, 0.0), 1.0)
