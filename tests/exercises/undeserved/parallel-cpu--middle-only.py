# must lose: parallel
from numba import njit, prange


@njit(parallel=True)
def saxpy(a, x, y, out):
    if x.size > 100_000 or x.size < 20_000:
        for i in range(x.size):
            out[i] = a * x[i] + y[i]
    else:
        for i in prange(x.size):
            out[i] = a * x[i] + y[i]
