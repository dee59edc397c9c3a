# loses: inputs
# scales x in place first
@njit(parallel=True)
def saxpy(a, x, y, out):
    x *= a
    for i in prange(len(x)):
        out[i] = x[i] + y[i]
