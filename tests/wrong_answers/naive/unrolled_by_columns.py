# loses: sectors
# unrolled by two, with x down the rows
def blocks_for(rows, columns):
    return -(-rows // 32), -(-columns // 32)


@cuda.jit
def matmul_naive(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        steps = a.shape[1]
        total = float32(0)
        for k in range(0, steps - 1, 2):
            total += a[i, k] * b[k, j]
            total += a[i, k + 1] * b[k + 1, j]
        if steps % 2 == 1:
            total += a[i, steps - 1] * b[steps - 1, j]
        c[i, j] = total
