# Rounds up by rounding down twice; the rest by loops.
def blocks_for(n, threads):
    return -(-n // threads)


def can_launch(grid, block):
    most = (2**31 - 1, 65535, 65535), (1024, 1024, 64)
    for extents, limits in zip((grid, block), most):
        for extent, limit in zip(extents, limits):
            if extent < 1 or extent > limit:
                return False
    return block[0] * block[1] * block[2] <= 1024


def empty_lanes(threads):
    return (32 - threads % 32) % 32
