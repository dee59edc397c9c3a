# loses: columns
# computes, and keeps the result
@cuda.jit
def add_bias(m, bias, out):
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        value = m[row, column] + bias[column]
