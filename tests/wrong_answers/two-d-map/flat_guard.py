# loses: columns
# compares with the number of elements
@cuda.jit
def add_bias(m, bias, out):
    column, row = cuda.grid(2)
    if row * m.shape[1] + column < m.size:
        out[row, column] = m[row, column] + bias[column]
