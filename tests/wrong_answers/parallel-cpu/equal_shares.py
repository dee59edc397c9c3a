# loses: any-length
# cuts into 8 equal shares and forgets the rest
@njit(parallel=True)
def saxpy(a, x, y, out):
    share = len(x) // 8
    for core in prange(8):
        for i in range(core * share, (core + 1) * share):
            out[i] = a * x[i] + y[i]
