# loses: writes
# straight from m to out
@cuda.jit
def transpose(m, out):
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        out[column, row] = m[row, column]
