# loses: once
# every block walks over the whole array
@cuda.jit
def square(x, out):
    for i in range(cuda.threadIdx.x, out.size, cuda.blockDim.x):
        out[i] = x[i] * x[i]
