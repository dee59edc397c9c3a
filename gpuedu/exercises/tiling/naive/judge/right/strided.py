# A grid-stride loop over both axes, and math.ceil.
def blocks_for(rows, columns):
    return math.ceil(columns / 32), math.ceil(rows / 32)


@cuda.jit
def matmul_naive(a, b, c):
    first, top = cuda.grid(2)
    across, down = cuda.gridsize(2)
    for i in range(top, c.shape[0], down):
        for j in range(first, c.shape[1], across):
            total = float32(0)
            for k in range(b.shape[0]):
                total += a[i, k] * b[k, j]
            c[i, j] = total
