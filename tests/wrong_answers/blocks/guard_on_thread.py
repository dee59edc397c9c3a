# loses: inside
# compares the thread's index in its block
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x < out.size:
        out[i] = a * x[i] + y[i]
