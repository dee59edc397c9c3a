# Two steps along K in each turn of the loop; an odd K has one left over.
def blocks_for(rows, columns):
    return -(-columns // 32), -(-rows // 32)


@cuda.jit
def matmul_naive(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        steps = a.shape[1]
        total = float32(0)
        for k in range(0, steps - 1, 2):
            total += a[i, k] * b[k, j]
            total += a[i, k + 1] * b[k + 1, j]
        if steps % 2 == 1:
            total += a[i, steps - 1] * b[steps - 1, j]
        c[i, j] = total
