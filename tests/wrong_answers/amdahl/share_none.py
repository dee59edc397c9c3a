# loses: share
# gives None where no share can
def share_for(speedup, n):
    if speedup < 1 or speedup > n:
        return None
    return (1 - 1 / speedup) / (1 - 1 / n) if n > 1 else 0.0
