# loses: columns
# guards the rows only
@cuda.jit
def add_bias(m, bias, out):
    column, row = cuda.grid(2)
    if row < m.shape[0]:
        out[row, column] = m[row, column] + bias[column]
