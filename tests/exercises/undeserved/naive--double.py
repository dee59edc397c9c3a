# must lose: float32
def blocks_for(rows, columns):
    return -(-columns // 32), -(-rows // 32)


@cuda.jit
def matmul_naive(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = 0.0
        for k in range(0, a.shape[1], 4):
            if k + 0 < a.shape[1]:
                total += a[i, k + 0] * b[k + 0, j]
            if k + 1 < a.shape[1]:
                total += a[i, k + 1] * b[k + 1, j]
            if k + 2 < a.shape[1]:
                total += a[i, k + 2] * b[k + 2, j]
            if k + 3 < a.shape[1]:
                total += a[i, k + 3] * b[k + 3, j]
        c[i, j] = total
