# Whole turns of the grid, each with a guard.
@cuda.jit
def square(x, out):
    n = cuda.gridsize(1)
    for turn in range((x.size + n - 1) // n):
        i = turn * n + cuda.grid(1)
        if i < x.size:
            out[i] = x[i] ** 2
