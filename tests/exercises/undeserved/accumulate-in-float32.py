# must lose: loops, once
@cuda.jit
def rms_norm(x, w, out):
    j = cuda.grid(1)
    if j < x.shape[1]:
        for row in range(x.shape[0]):
            out[row, j] = x[row, j]
