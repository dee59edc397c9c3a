# loses: share
# never says that no share can
def share_for(speedup, n):
    return (1 - 1 / speedup) / (1 - 1 / n) if n > 1 else 0.0
