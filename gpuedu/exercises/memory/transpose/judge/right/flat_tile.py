# One axis, and its step by hand.
@cuda.jit
def transpose(m, out):
    tile = cuda.shared.array(32 * 33, float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    value = float32(0)
    if row < m.shape[0] and column < m.shape[1]:
        value = m[row, column]
    tile[33 * y + x] = value
    cuda.syncthreads()
    row, column = 32 * cuda.blockIdx.x + y, 32 * cuda.blockIdx.y + x
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = tile[33 * x + y]
