# Four steps along K in each turn of one loop, what is left over in another.
def blocks_for(rows, columns):
    return -(-columns // 32), -(-rows // 32)


@cuda.jit
def matmul_naive(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        whole = a.shape[1] // 4 * 4
        total = float32(0)
        for k in range(0, whole, 4):
            total += a[i, k] * b[k, j] + a[i, k + 1] * b[k + 1, j]
            total += a[i, k + 2] * b[k + 2, j] + a[i, k + 3] * b[k + 3, j]
        for k in range(whole, a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total
