# loses: waits
# asks: The loop is in the guard, and with it the barriers. Which threads do not come to them, and
#   what would those have brought?
@cuda.jit
def matmul(a, b, c):
    tile_a = cuda.shared.array((32, 32), float32)
    tile_b = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0)
    if i < c.shape[0] and j < c.shape[1]:
        for first in range(0, a.shape[1], 32):
            tile_a[y, x] = a[i, first + x] if first + x < a.shape[1] else float32(0)
            tile_b[y, x] = b[first + y, j] if first + y < b.shape[0] else float32(0)
            cuda.syncthreads()
            for k in range(32):
                total += tile_a[y, k] * tile_b[k, x]
            cuda.syncthreads()
        c[i, j] = total
