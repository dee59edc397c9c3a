# loses: once
# asks: Every thread reads all its seven inputs from global memory. Where could a block keep what
#   its threads have in common?
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
