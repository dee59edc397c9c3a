# loses: right
# leaves out the first element
@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in prange(1, len(x)):
        out[i] = a * x[i] + y[i]
