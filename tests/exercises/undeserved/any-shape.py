# must lose: waits, float32, inside
@cuda.jit
def matmul(a, b, c):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    tile[y, x] = a[i, x] if i < a.shape[0] and x < a.shape[1] else float32(0)
    cuda.syncthreads()
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = tile[y, x] + float32(1)
