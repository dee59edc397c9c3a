# loses: inputs
# adds to y, as BLAS's saxpy does, then copies
@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in prange(len(x)):
        y[i] += a * x[i]
        out[i] = y[i]
