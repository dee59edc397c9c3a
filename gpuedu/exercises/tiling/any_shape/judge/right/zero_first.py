# A zero first, then what exists.
@cuda.jit
def matmul(a, b, c):
    tile_a = cuda.shared.array((32, 33), float32)
    tile_b = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    i, j = 32 * cuda.blockIdx.y + y, 32 * cuda.blockIdx.x + x
    m, k_end, n = a.shape[0], a.shape[1], b.shape[1]
    total = float32(0)
    for turn in range((k_end + 31) // 32):
        tile_a[y, x] = 0
        tile_b[y, x] = 0
        if i < m and 32 * turn + x < k_end:
            tile_a[y, x] = a[i, 32 * turn + x]
        if 32 * turn + y < k_end and j < n:
            tile_b[y, x] = b[32 * turn + y, j]
        cuda.syncthreads()
        for k in range(32):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    if i >= m or j >= n:
        return
    c[i, j] = total
