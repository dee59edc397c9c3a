# loses: sectors
# x down the rows of c
@cuda.jit
def matmul_tiled(a, b, c):
    tile_a = cuda.shared.array((32, 32), float32)
    tile_b = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    i, j = 32 * cuda.blockIdx.y + x, 32 * cuda.blockIdx.x + y
    total = float32(0)
    for first in range(0, a.shape[1], 32):
        tile_a[y, x] = a[32 * cuda.blockIdx.y + y, first + x]
        tile_b[y, x] = b[first + y, 32 * cuda.blockIdx.x + x]
        cuda.syncthreads()
        for k in range(32):
            total += tile_a[x, k] * tile_b[k, y]
        cuda.syncthreads()
    c[i, j] = total
