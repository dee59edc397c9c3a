# must lose: loops
@cuda.jit
def rms_norm(x, w, out):
    j = cuda.grid(1)
    if j < x.shape[1]:
        n = x.shape[0]
        total = 0.0
        for k in range(0, n, 4):
            total += x[k, j] ** 2
            if k + 1 < n:
                total += x[k + 1, j] ** 2
            if k + 2 < n:
                total += x[k + 2, j] ** 2
            if k + 3 < n:
                total += x[k + 3, j] ** 2
        scale = 1 / math.sqrt(total / n + 1e-6)
        for k in range(0, n, 4):
            out[k, j] = x[k, j] * scale * w[k]
            if k + 1 < n:
                out[k + 1, j] = x[k + 1, j] * scale * w[k + 1]
            if k + 2 < n:
                out[k + 2, j] = x[k + 2, j] * scale * w[k + 2]
            if k + 3 < n:
                out[k + 3, j] = x[k + 3, j] * scale * w[k + 3]
