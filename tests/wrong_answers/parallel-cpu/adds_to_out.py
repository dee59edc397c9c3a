# loses: right
# adds to what is in `out` already
@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in prange(len(x)):
        out[i] += a * x[i] + y[i]
