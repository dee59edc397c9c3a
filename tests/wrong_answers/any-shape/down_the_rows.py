# loses: costs
# x runs down the rows of all three matrices
@cuda.jit
def matmul(a, b, c):
    tile_a = cuda.shared.array((32, 32), float32)
    tile_b = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    i, j = 32 * cuda.blockIdx.y + x, 32 * cuda.blockIdx.x + y
    total = float32(0)
    for first in range(0, a.shape[1], 32):
        in_a = i < a.shape[0] and first + y < a.shape[1]
        in_b = first + x < b.shape[0] and j < b.shape[1]
        tile_a[x, y] = a[i, first + y] if in_a else float32(0)
        tile_b[x, y] = b[first + x, j] if in_b else float32(0)
        cuda.syncthreads()
        for k in range(32):
            total += tile_a[x, k] * tile_b[k, y]
        cuda.syncthreads()
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = total
