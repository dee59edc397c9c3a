# Blocks along x for the rows, but still threadIdx.x along a row of c.
def blocks_for(rows, columns):
    return (rows + 31) // 32, (columns + 31) // 32


@cuda.jit
def matmul_naive(a, b, c):
    i = cuda.blockIdx.x * 32 + cuda.threadIdx.y
    j = cuda.blockIdx.y * 32 + cuda.threadIdx.x
    if i >= c.shape[0] or j >= c.shape[1]:
        return
    total = a[i, 0] * b[0, j]
    for k in range(1, a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total
