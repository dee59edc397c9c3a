# loses: reads
# asks: Without a tile, a warp that goes along a row of `out` goes down a column of `m`. Where
#   could rows become columns at less cost?
@cuda.jit
def transpose(m, out):
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row = 32 * cuda.blockIdx.y + x
    column = 32 * cuda.blockIdx.x + y
    if row < m.shape[0] and column < m.shape[1]:
        out[column, row] = m[row, column]
