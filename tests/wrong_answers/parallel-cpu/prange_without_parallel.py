# loses: parallel
# thinks prange alone shares out the loop
@njit
def saxpy(a, x, y, out):
    for i in prange(len(x)):
        out[i] = a * x[i] + y[i]
