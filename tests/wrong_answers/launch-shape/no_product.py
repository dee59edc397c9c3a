# loses: block-limits
# each extent fits, the block does not
def can_launch(grid, block):
    (gx, gy, gz), (bx, by, bz) = grid, block
    fits = 1 <= gx <= 2**31 - 1 and 1 <= gy <= 65535 and 1 <= gz <= 65535
    return fits and 1 <= bx <= 1024 and 1 <= by <= 1024 and 1 <= bz <= 64
