# loses: once
# a thread for each element, and each walks a column
@cuda.jit
def add_bias(m, bias, out):
    column = cuda.grid(1)
    if column < m.shape[1]:
        for row in range(m.shape[0]):
            out[row, column] = m[row, column] + bias[column]
