# loses: inside
# the tile has room for the halo on one side
@cuda.jit
def smooth(x, w, out):
    tile = cuda.shared.array(131, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t + 3] = x[i] if i < x.size else float32(0)
    if t < 3:
        tile[t] = x[i - 3] if i >= 3 else float32(0)
        tile[t + 131] = x[i + 128] if i + 128 < x.size else float32(0)
    cuda.syncthreads()
    if i < out.size:
        total = float32(0)
        for k in range(7):
            total += w[k] * tile[t + k]
        out[i] = total
