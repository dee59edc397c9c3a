# loses: one-block
# multiplies the two indices: 0 throughout block 0
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.blockIdx.x * cuda.threadIdx.x
    if i < out.size:
        out[i] = a * x[i] + y[i]
