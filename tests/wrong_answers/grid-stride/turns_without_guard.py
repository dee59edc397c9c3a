# loses: inside
# the last turn goes past the end
@cuda.jit
def square(x, out):
    n = cuda.gridsize(1)
    for turn in range((out.size + n - 1) // n):
        i = turn * n + cuda.grid(1)
        out[i] = x[i] * x[i]
