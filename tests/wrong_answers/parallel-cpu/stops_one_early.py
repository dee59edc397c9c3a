# loses: right
# leaves out the last element
@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in prange(len(x) - 1):
        out[i] = a * x[i] + y[i]
