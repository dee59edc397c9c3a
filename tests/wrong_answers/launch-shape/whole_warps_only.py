# loses: block-limits
# takes a waste for an error
def can_launch(grid, block):
    (gx, gy, gz), (bx, by, bz) = grid, block
    fits = 1 <= gx <= 2**31 - 1 and 1 <= gy <= 65535 and 1 <= gz <= 65535
    fits = fits and 1 <= bx <= 1024 and 1 <= by <= 1024 and 1 <= bz <= 64
    return fits and bx * by * bz <= 1024 and bx * by * bz % 32 == 0
