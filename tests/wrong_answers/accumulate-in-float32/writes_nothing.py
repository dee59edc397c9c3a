# loses: right
# out is not written
@cuda.jit
def rms_norm(x, w, out):
    j = cuda.grid(1)
    if j < x.shape[1]:
        total = float32(0)
        for k in range(x.shape[0]):
            total += x[k, j] ** 2
