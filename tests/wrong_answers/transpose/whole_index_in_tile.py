# loses: inside
# the tile is indexed by the place in the whole matrix
@cuda.jit
def transpose(m, out):
    tile = cuda.shared.array((32, 33), float32)
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        tile[row, column] = m[row, column]
    cuda.syncthreads()
    if row < m.shape[0] and column < m.shape[1]:
        out[column, row] = tile[row, column]
