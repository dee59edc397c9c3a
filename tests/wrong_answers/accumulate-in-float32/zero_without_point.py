# loses: loops
# a whole 0 is float64 beside float32, too
@cuda.jit
def rms_norm(x, w, out):
    j = cuda.grid(1)
    if j < x.shape[1]:
        n = x.shape[0]
        total = 0
        for k in range(n):
            total += x[k, j] ** 2
        scale = float32(1) / math.sqrt(total / float32(n) + float32(1e-6))
        for k in range(n):
            out[k, j] = x[k, j] * scale * w[k]
