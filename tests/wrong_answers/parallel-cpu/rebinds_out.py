# loses: right
# gives the name `out` to a new array
@njit(parallel=True)
def saxpy(a, x, y, out):
    out = a * x + y
