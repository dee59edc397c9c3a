# loses: every
# rows and columns exchanged in the guard
def blocks_for(rows, columns):
    return -(-columns // 32), -(-rows // 32)


@cuda.jit
def matmul_naive(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[1] and j < c.shape[0]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total
