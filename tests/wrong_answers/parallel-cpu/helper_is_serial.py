# loses: parallel
# copies in parallel, and calls a function of one core for the rest
@njit
def add_all(y, out):
    for i in range(len(y)):
        out[i] += y[i]


@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in prange(len(x)):
        out[i] = a * x[i]
    add_all(y, out)
