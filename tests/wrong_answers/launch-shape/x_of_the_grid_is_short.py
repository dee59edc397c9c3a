# loses: grid-limits
# x ends where y and z do
def can_launch(grid, block):
    (gx, gy, gz), (bx, by, bz) = grid, block
    fits = 1 <= gx <= 65535 and 1 <= gy <= 65535 and 1 <= gz <= 65535
    fits = fits and 1 <= bx <= 1024 and 1 <= by <= 1024 and 1 <= bz <= 64
    return fits and bx * by * bz <= 1024
