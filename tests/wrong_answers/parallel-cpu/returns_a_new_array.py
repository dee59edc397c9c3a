# loses: right
# returns the result instead of writing it
@njit(parallel=True)
def saxpy(a, x, y, out):
    result = np.empty_like(x)
    for i in prange(len(x)):
        result[i] = a * x[i] + y[i]
    return result
