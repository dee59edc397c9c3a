# loses: parallel
# copies in parallel, computes on one core
@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in prange(len(x)):
        out[i] = x[i]
    for i in range(len(x)):
        out[i] = a * x[i] + y[i]
