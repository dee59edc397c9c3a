# loses: every
# takes the bias of the row
@cuda.jit
def add_bias(m, bias, out):
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        out[row, column] = m[row, column] + bias[row]
