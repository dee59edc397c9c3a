# loses: sectors
# one thread brings the whole tile
@cuda.jit
def smooth(x, w, out):
    tile = cuda.shared.array(134, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    if t == 0:
        for k in range(134):
            j = i + k - 3
            tile[k] = x[j] if 0 <= j < x.size else 0
    cuda.syncthreads()
    if i < out.size:
        total = float32(0)
        for k in range(7):
            total += w[k] * tile[t + k]
        out[i] = total
