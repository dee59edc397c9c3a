# loses: every
# leaves out what does not fill the grid
@cuda.jit
def square(x, out):
    n = cuda.gridsize(1)
    for turn in range(out.size // n):
        i = turn * n + cuda.grid(1)
        out[i] = x[i] * x[i]
