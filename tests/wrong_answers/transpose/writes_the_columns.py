# loses: writes
# through the tile, but still down the column of out
@cuda.jit
def transpose(m, out):
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        tile[y, x] = m[row, column]
    cuda.syncthreads()
    if row < m.shape[0] and column < m.shape[1]:
        out[column, row] = tile[y, x]
