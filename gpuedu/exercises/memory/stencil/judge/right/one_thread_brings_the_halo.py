# Thread 0 brings the halo of both sides, one element after the other.
@cuda.jit
def smooth(x, w, out):
    tile = cuda.shared.array(134, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t + 3] = x[i] if i < x.size else 0
    if t == 0:
        for k in range(3):
            tile[k] = x[i - 3 + k] if i > 0 else 0
            tile[131 + k] = x[i + 128 + k] if i + 128 + k < x.size else 0
    cuda.syncthreads()
    if i < out.size:
        total = float32(0)
        for k in range(7):
            total += w[k] * tile[t + k]
        out[i] = total
