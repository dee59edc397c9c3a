# loses: columns
# one of the two is enough
@cuda.jit
def add_bias(m, bias, out):
    column, row = cuda.grid(2)
    if row < m.shape[0] or column < m.shape[1]:
        out[row, column] = m[row, column] + bias[column]
