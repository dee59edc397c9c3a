# loses: every
# one index only: the first row
@cuda.jit
def add_bias(m, bias, out):
    column = cuda.grid(1)
    if column < m.shape[1]:
        out[0, column] = m[0, column] + bias[column]
