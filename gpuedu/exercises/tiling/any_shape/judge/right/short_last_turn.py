# The last turn adds only what is there, so nothing has to be filled up along K.
@cuda.jit
def matmul(a, b, c):
    tile_a = cuda.shared.array((32, 32), float32)
    tile_b = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    has_row, has_column = i < c.shape[0], j < c.shape[1]
    total = float32(0)
    for first in range(0, a.shape[1], 32):
        left = min(32, a.shape[1] - first)
        if has_row and x < left:
            tile_a[y, x] = a[i, first + x]
        if has_column and y < left:
            tile_b[y, x] = b[first + y, j]
        cuda.syncthreads()
        if has_row and has_column:
            for k in range(left):
                total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    if has_row and has_column:
        c[i, j] = total
