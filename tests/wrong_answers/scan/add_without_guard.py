# loses: inside
# adds past the end
@cuda.jit
def add_before(upto, out):
    i, b = cuda.grid(1), cuda.blockIdx.x
    if b > 0:
        out[i] += upto[b - 1]
