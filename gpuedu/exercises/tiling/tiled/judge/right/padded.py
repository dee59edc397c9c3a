# Padded tiles, one of them stored turned.
@cuda.jit
def matmul_tiled(a, b, c):
    tile_a = cuda.shared.array((32, 33), float32)
    tile_b = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0)
    for first in range(0, b.shape[0], 32):
        cuda.syncthreads()
        tile_a[x, y] = a[i, first + x]
        tile_b[y, x] = b[first + y, j]
        cuda.syncthreads()
        for k in range(32):
            total += tile_a[k, y] * tile_b[k, x]
    c[i, j] = total
