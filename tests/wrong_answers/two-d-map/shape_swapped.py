# loses: every
# compares rows with columns
@cuda.jit
def add_bias(m, bias, out):
    column, row = cuda.grid(2)
    if row < m.shape[1] and column < m.shape[0]:
        out[row, column] = m[row, column] + bias[column]
