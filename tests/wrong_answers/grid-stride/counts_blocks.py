# loses: once
# steps by the number of blocks
@cuda.jit
def square(x, out):
    for i in range(cuda.grid(1), out.size, cuda.gridDim.x):
        out[i] = x[i] * x[i]
