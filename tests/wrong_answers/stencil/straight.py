# loses: once
# seven reads from global memory
@cuda.jit
def smooth(x, w, out):
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for k in range(7):
            j = i + k - 3
            if 0 <= j < x.size:
                total += w[k] * x[j]
        out[i] = total
