# No padding: the column is turned by the row.
@cuda.jit
def transpose(m, out):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        tile[y, x ^ y] = m[row, column]
    cuda.syncthreads()
    row = cuda.blockIdx.x * cuda.blockDim.x + y
    column = cuda.blockIdx.y * cuda.blockDim.y + x
    if row < m.shape[1] and column < m.shape[0]:
        out[row, column] = tile[x, y ^ x]
