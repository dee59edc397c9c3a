# loses: every
# all blocks begin at the same elements
@cuda.jit
def square(x, out):
    for i in range(cuda.threadIdx.x, out.size, cuda.gridsize(1)):
        out[i] = x[i] * x[i]
