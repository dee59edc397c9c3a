# loses: lanes
# 32 where it should be 0
def empty_lanes(threads):
    return 32 - threads % 32
