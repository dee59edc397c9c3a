# loses: inside
# the guard of m is kept for out
@cuda.jit
def transpose(m, out):
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    inside = row < m.shape[0] and column < m.shape[1]
    if inside:
        tile[y, x] = m[row, column]
    cuda.syncthreads()
    row, column = 32 * cuda.blockIdx.x + y, 32 * cuda.blockIdx.y + x
    if inside:
        out[row, column] = tile[x, y]
