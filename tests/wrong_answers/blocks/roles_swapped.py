# loses: every-block
# block and thread change places
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.threadIdx.x * cuda.blockDim.x + cuda.blockIdx.x
    if i < out.size:
        out[i] = a * x[i] + y[i]
