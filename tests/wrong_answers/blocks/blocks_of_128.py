# loses: every-block
# fits one size of block only
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.blockIdx.x * 128 + cuda.threadIdx.x
    if i < out.size:
        out[i] = a * x[i] + y[i]
