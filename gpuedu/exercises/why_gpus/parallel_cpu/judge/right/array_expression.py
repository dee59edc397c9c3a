# Numba turns an array expression into one parallel loop.
@njit(parallel=True)
def saxpy(a, x, y, out):
    out[:] = a * x + y
