# x along the column: right, and costly.
@cuda.jit
def add_bias(m, bias, out):
    row, column = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        out[row, column] = m[row, column] + bias[column]
