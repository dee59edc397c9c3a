# loses: grid-limits
# a limit that a grid does not have
def can_launch(grid, block):
    (gx, gy, gz), (bx, by, bz) = grid, block
    fits = min(grid) >= 1 and gx * gy * gz <= 2**31 - 1
    fits = fits and 1 <= bx <= 1024 and 1 <= by <= 1024 and 1 <= bz <= 64
    return fits and bx * by * bz <= 1024
