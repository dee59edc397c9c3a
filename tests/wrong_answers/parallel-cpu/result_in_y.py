# loses: inputs
# writes the result into y, as BLAS's saxpy does
@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in prange(len(x)):
        y[i] = a * x[i] + y[i]
