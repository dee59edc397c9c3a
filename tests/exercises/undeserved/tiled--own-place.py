# must lose: waits, banks, once
@cuda.jit
def matmul_tiled(a, b, c):
    own = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0)
    if i < c.shape[0] and j < c.shape[1]:
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
    own[y, x] = total
    cuda.syncthreads()
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = own[y, x]
