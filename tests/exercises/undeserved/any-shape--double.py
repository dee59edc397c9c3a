# must lose: float32
@cuda.jit
def matmul(a, b, c):
    tile_a = cuda.shared.array((32, 32), float32)
    tile_b = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = 0.0
    for first in range(0, a.shape[1], 32):
        tile_a[y, x] = a[i, first + x] if i < a.shape[0] and first + x < a.shape[1] else 0
        tile_b[y, x] = b[first + y, j] if first + y < b.shape[0] and j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(0, 32, 4):
            total += tile_a[y, k + 0] * tile_b[k + 0, x]
            total += tile_a[y, k + 1] * tile_b[k + 1, x]
            total += tile_a[y, k + 2] * tile_b[k + 2, x]
            total += tile_a[y, k + 3] * tile_b[k + 3, x]
        cuda.syncthreads()
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = total
