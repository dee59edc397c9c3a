# loses: once
# takes a block for a warp
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.blockIdx.x * 32 + cuda.threadIdx.x
    if i < out.size:
        out[i] = a * x[i] + y[i]
