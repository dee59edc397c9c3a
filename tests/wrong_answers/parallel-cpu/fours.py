# loses: any-length
# takes four at a time and forgets the rest
@njit(parallel=True)
def saxpy(a, x, y, out):
    for k in prange(len(x) // 4):
        for i in range(4 * k, 4 * k + 4):
            out[i] = a * x[i] + y[i]
