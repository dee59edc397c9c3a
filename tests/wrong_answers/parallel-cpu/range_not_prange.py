# loses: parallel
# thinks the decorator alone shares out the loop
@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in range(len(x)):
        out[i] = a * x[i] + y[i]
