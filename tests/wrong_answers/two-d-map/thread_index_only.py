# loses: once
# forgets the blocks
@cuda.jit
def add_bias(m, bias, out):
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    if row < m.shape[0] and column < m.shape[1]:
        out[row, column] = m[row, column] + bias[column]
