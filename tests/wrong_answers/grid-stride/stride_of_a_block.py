# loses: once
# steps by one block and lands on the next blocks' elements
@cuda.jit
def square(x, out):
    for i in range(cuda.grid(1), out.size, cuda.blockDim.x):
        out[i] = x[i] * x[i]
