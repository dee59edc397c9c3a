# A short array is not worth the start of the threads.
@njit(parallel=True)
def saxpy(a, x, y, out):
    if x.size < 100:
        for i in range(x.size):
            out[i] = a * x[i] + y[i]
    else:
        for i in prange(x.size):
            out[i] = a * x[i] + y[i]
