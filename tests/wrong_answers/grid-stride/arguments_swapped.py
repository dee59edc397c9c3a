# loses: every
# hands range the step before the end
@cuda.jit
def square(x, out):
    for i in range(cuda.grid(1), cuda.gridsize(1), out.size):
        out[i] = x[i] * x[i]
