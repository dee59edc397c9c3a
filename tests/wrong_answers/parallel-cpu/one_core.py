# loses: parallel
# compiles, but for one core
@njit
def saxpy(a, x, y, out):
    for i in range(len(x)):
        out[i] = a * x[i] + y[i]
