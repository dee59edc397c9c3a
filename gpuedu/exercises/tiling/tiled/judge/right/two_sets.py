# Two sets of tiles in turns, so that one barrier a turn is enough.
@cuda.jit
def matmul_tiled(a, b, c):
    tile_a = cuda.shared.array((2, 32, 32), float32)
    tile_b = cuda.shared.array((2, 32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0)
    for turn in range(a.shape[1] // 32):
        now = turn % 2
        tile_a[now, y, x] = a[i, 32 * turn + x]
        tile_b[now, y, x] = b[32 * turn + y, j]
        cuda.syncthreads()
        for k in range(32):
            total += tile_a[now, y, k] * tile_b[now, k, x]
    c[i, j] = total
