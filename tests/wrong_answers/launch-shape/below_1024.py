# loses: block-limits
# leaves the largest block out
def can_launch(grid, block):
    (gx, gy, gz), (bx, by, bz) = grid, block
    fits = 1 <= gx <= 2**31 - 1 and 1 <= gy <= 65535 and 1 <= gz <= 65535
    return fits and 1 <= bx and 1 <= by and 1 <= bz <= 64 and bx * by * bz < 1024
