# loses: every
# fills the tile
@cuda.jit
def transpose(m, out):
    tile = cuda.shared.array((32, 33), float32)
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = m[row, column]
    cuda.syncthreads()
