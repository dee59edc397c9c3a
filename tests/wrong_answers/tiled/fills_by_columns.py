# loses: sectors
# x down the rows of both matrices
@cuda.jit
def matmul_tiled(a, b, c):
    tile_a = cuda.shared.array((32, 32), float32)
    tile_b = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0)
    for first in range(0, a.shape[1], 32):
        tile_a[x, y] = a[32 * cuda.blockIdx.y + x, first + y]
        tile_b[x, y] = b[first + x, 32 * cuda.blockIdx.x + y]
        cuda.syncthreads()
        for k in range(32):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    c[i, j] = total
