# loses: every
# x first, as in the launch
@cuda.jit
def add_bias(m, bias, out):
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        out[column, row] = m[column, row] + bias[column]
