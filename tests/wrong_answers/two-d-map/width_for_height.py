# loses: every
# blocks are as far apart along y as they are wide
@cuda.jit
def add_bias(m, bias, out):
    column = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    row = cuda.blockIdx.y * cuda.blockDim.x + cuda.threadIdx.y
    if row < m.shape[0] and column < m.shape[1]:
        out[row, column] = m[row, column] + bias[column]
