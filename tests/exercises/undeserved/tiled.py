# must lose: waits, float32, banks
@cuda.jit
def matmul_tiled(a, b, c):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    tile[y, x] = a[i, x]
    cuda.syncthreads()
    c[i, j] = tile[y, x] + float32(1)
