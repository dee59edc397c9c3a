# The first three bring the left halo, the last three the right one.
@cuda.jit
def smooth(x, w, out):
    tile = cuda.shared.array(134, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t + 3] = x[i] if i < x.size else 0
    if t < 3:
        tile[t] = x[i - 3] if i >= 3 else 0
    if t >= 125:
        tile[t + 6] = x[i + 3] if i + 3 < x.size else 0
    cuda.syncthreads()
    if i < out.size:
        total = w[0] * tile[t]
        for k in range(1, 7):
            total += w[k] * tile[t + k]
        out[i] = total
