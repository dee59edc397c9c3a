# loses: right
# reads the wrong array
@cuda.jit
def add_ten(a, out):
    i = cuda.threadIdx.x
    out[i] += 10
