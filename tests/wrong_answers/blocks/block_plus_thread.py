# loses: every-block
# block 1 begins one element on
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.blockIdx.x + cuda.threadIdx.x
    if i < out.size:
        out[i] = a * x[i] + y[i]
