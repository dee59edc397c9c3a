# loses: any-length
# writes element 0 before the loop, even if there is none
@njit(parallel=True, boundscheck=True)
def saxpy(a, x, y, out):
    out[0] = a * x[0] + y[0]
    for i in prange(1, len(x)):
        out[i] = a * x[i] + y[i]
