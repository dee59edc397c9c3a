# loses: every
# x is the row of m
@cuda.jit
def transpose(m, out):
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        tile[y, x] = m[row, column]
    cuda.syncthreads()
    row, column = 32 * cuda.blockIdx.x + y, 32 * cuda.blockIdx.y + x
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = tile[x, y]
