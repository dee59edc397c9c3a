# The step is a compiled function of its own.
@njit
def one(i, a, x, y, out):
    out[i] = a * x[i] + y[i]


@njit(parallel=True, fastmath=True)
def saxpy(a, x, y, out):
    for i in prange(out.shape[0]):
        one(i, a, x, y, out)
