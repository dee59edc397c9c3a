# Both indices by hand, and an early return.
@cuda.jit
def add_bias(m, bias, out):
    column = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    row = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if row >= out.shape[0]:
        return
    if column < bias.size:
        out[row, column] = m[row, column] + bias[column]
