# loses: rows
# guards the columns only
@cuda.jit
def add_bias(m, bias, out):
    column, row = cuda.grid(2)
    if column < m.shape[1]:
        out[row, column] = m[row, column] + bias[column]
