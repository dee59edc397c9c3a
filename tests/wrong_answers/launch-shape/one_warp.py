# loses: lanes
# right for a single warp
def empty_lanes(threads):
    return max(0, 32 - threads)
