# loses: every
# squares the input
@cuda.jit
def square(x, out):
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        x[i] = x[i] * x[i]
