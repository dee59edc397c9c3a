# loses: every
# the tile has only its own elements
@cuda.jit
def smooth(x, w, out):
    tile = cuda.shared.array(128, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    if i < out.size:
        total = float32(0)
        for k in range(7):
            if 0 <= t + k - 3 < 128:
                total += w[k] * tile[t + k - 3]
        out[i] = total
