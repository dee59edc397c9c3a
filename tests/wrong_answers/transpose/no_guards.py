# loses: inside
# all tiles are full
@cuda.jit
def transpose(m, out):
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    tile[y, x] = m[row, column]
    cuda.syncthreads()
    row, column = 32 * cuda.blockIdx.x + y, 32 * cuda.blockIdx.y + x
    out[row, column] = tile[x, y]
