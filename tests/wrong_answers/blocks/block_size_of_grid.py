# loses: every-block
# begins a block too far
@cuda.jit
def saxpy(a, x, y, out):
    i = (cuda.blockIdx.x + 1) * cuda.blockDim.x + cuda.threadIdx.x
    if i < out.size:
        out[i] = a * x[i] + y[i]
