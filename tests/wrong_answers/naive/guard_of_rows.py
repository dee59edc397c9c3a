# loses: inside
# only the rows are guarded
def blocks_for(rows, columns):
    return -(-columns // 32), -(-rows // 32)


@cuda.jit
def matmul_naive(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total
