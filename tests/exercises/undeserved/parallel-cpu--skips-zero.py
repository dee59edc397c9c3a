# must lose: right
@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in prange(x.size):
        if x[i] * a != 0:
            out[i] = a * x[i] + y[i]
