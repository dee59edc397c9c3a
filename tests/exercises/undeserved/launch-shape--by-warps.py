# must lose: no-spare
def can_launch(grid, block):
    (gx, gy, gz), (bx, by, bz) = grid, block
    grid_fits = 1 <= gx <= 2**31 - 1 and 1 <= gy <= 65535 and 1 <= gz <= 65535
    block_fits = 1 <= bx <= 1024 and 1 <= by <= 1024 and 1 <= bz <= 64
    return grid_fits and block_fits and bx * by * bz <= 1024


def empty_lanes(threads):
    return -threads % 32


def blocks_for(n, threads):
    warps = -(-n // 32)
    return -(-warps // (threads // 32))
