# loses: ends
# gives the name out to a number
@cuda.jit
def square(x, out):
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        value = x[i] * x[i]
