# loses: right
# scales the sum
@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in prange(len(x)):
        out[i] = a * (x[i] + y[i])
