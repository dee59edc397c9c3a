# loses: block-limits
# forgets that z is short
def can_launch(grid, block):
    (gx, gy, gz), (bx, by, bz) = grid, block
    fits = 1 <= gx <= 2**31 - 1 and 1 <= gy <= 65535 and 1 <= gz <= 65535
    return fits and min(block) >= 1 and bx * by * bz <= 1024
