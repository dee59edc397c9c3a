# loses: lanes
# the number of warps
def empty_lanes(threads):
    return (threads + 31) // 32
