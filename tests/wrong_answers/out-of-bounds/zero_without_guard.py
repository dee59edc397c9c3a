# loses: inside
# all threads beyond the end write their 0
@cuda.jit
def rises(x, out):
    i = cuda.grid(1)
    if i + 1 < x.size:
        out[i] = x[i + 1] - x[i]
    else:
        out[i] = 0
