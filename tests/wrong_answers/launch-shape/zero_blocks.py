# loses: grid-limits
# a launch of nothing
def can_launch(grid, block):
    (gx, gy, gz), (bx, by, bz) = grid, block
    fits = gx <= 2**31 - 1 and gy <= 65535 and gz <= 65535
    fits = fits and 1 <= bx <= 1024 and 1 <= by <= 1024 and 1 <= bz <= 64
    return fits and bx * by * bz <= 1024
