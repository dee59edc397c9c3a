# must lose: sectors, inside
def blocks_for(rows, columns):
    return 1, 1


@cuda.jit
def matmul_naive(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = a[i, 0]
