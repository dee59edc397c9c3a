# The tile holds what exists; the sum asks what that is.
@cuda.jit
def smooth(x, w, out):
    tile = cuda.shared.array(134, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    if i < x.size:
        tile[t + 3] = x[i]
    if t < 3 and i >= 3:
        tile[t] = x[i - 3]
    if t < 3 and i + 128 < x.size:
        tile[t + 131] = x[i + 128]
    cuda.syncthreads()
    if i < out.size:
        total = float32(0)
        for k in range(7):
            if 0 <= i + k - 3 < x.size:
                total += w[k] * tile[t + k]
        out[i] = total
