# loses: inside
# block 0 takes upto[-1]
@cuda.jit
def add_before(upto, out):
    i, b = cuda.grid(1), cuda.blockIdx.x
    if i < out.size:
        out[i] += upto[b - 1]
