# loses: once
# the naive kernel
@cuda.jit
def matmul_tiled(a, b, c):
    j, i = cuda.grid(2)
    total = float32(0)
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total
