# loses: rows
# no guard at all
@cuda.jit
def add_bias(m, bias, out):
    column, row = cuda.grid(2)
    out[row, column] = m[row, column] + bias[column]
