# loses: writes
# asks: Without a tile, a warp that goes along a row of `m` goes down a column of `out`. Where
#   could rows become columns at less cost?
@cuda.jit
def transpose(m, out):
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        out[column, row] = m[row, column]
