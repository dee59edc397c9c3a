# From the end of the array down, so the last step may be short at the other end.
@cuda.jit
def square(x, out):
    i = x.size - 1 - cuda.grid(1)
    while i >= 0:
        out[i] = x[i] * x[i]
        i -= cuda.gridsize(1)
