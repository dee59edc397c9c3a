# The first warp brings what the whole block needs.
@cuda.jit
def smooth(x, w, out):
    tile = cuda.shared.array(134, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    if t < 32:
        for k in range(t, 134, 32):
            j = cuda.blockIdx.x * 128 + k - 3
            tile[k] = x[j] if 0 <= j < x.size else 0
    cuda.syncthreads()
    if i < out.size:
        total = float32(0)
        for k in range(7):
            total += w[k] * tile[t + k]
        out[i] = total
