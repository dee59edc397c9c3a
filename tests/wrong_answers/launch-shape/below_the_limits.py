# loses: grid-limits
# a limit may not be reached
def can_launch(grid, block):
    (gx, gy, gz), (bx, by, bz) = grid, block
    grid_fits = 1 <= gx < 2**31 - 1 and 1 <= gy < 65535 and 1 <= gz < 65535
    return grid_fits and min(block) >= 1 and bz <= 64 and bx * by * bz <= 1024
