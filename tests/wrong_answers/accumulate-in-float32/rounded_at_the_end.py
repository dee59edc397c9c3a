# loses: once
# scale is computed in float64 and rounded
@cuda.jit
def rms_norm(x, w, out):
    j = cuda.grid(1)
    if j < x.shape[1]:
        n = x.shape[0]
        total = float32(0)
        for k in range(n):
            total += x[k, j] ** 2
        scale = float32(1 / math.sqrt(total / n + 1e-6))
        for k in range(n):
            out[k, j] = x[k, j] * scale * w[k]
