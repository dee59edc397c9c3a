# loses: sectors
# one lane of 8 fetches for a run of 8 columns
def blocks_for(rows, columns):
    return -(-columns // 32), -(-rows // 32)


@cuda.jit
def matmul_naive(a, b, c):
    x, i = cuda.grid(2)
    if i < c.shape[0] and x * 8 < c.shape[1]:
        for j in range(8 * x, min(8 * x + 8, c.shape[1])):
            total = float32(0)
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total
