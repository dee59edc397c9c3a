# Each worker takes a stretch; the last stretch may be short.
@njit(parallel=True)
def saxpy(a, x, y, out):
    chunk = 1000
    n = len(out)
    for start in prange((n + chunk - 1) // chunk):
        for i in range(start * chunk, min((start + 1) * chunk, n)):
            out[i] = a * x[i] + y[i]
