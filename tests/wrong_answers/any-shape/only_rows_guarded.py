# loses: inside
# K is not guarded in a
@cuda.jit
def matmul(a, b, c):
    tile_a = cuda.shared.array((32, 32), float32)
    tile_b = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0)
    for first in range(0, a.shape[1], 32):
        in_a = i < a.shape[0]
        in_b = first + y < b.shape[0] and j < b.shape[1]
        tile_a[y, x] = a[i, first + x] if in_a else float32(0)
        tile_b[y, x] = b[first + y, j] if in_b else float32(0)
        cuda.syncthreads()
        for k in range(32):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = total
