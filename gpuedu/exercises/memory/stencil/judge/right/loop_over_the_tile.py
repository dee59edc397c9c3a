# All threads walk over the tile, from its first place on.
@cuda.jit
def smooth(x, w, out):
    tile = cuda.shared.array(128 + 6, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    first = cuda.blockIdx.x * cuda.blockDim.x - 3
    for k in range(t, 134, 128):
        j = first + k
        tile[k] = x[j] if 0 <= j < x.size else 0
    cuda.syncthreads()
    if i < x.size:
        total = float32(0)
        for k in range(7):
            total += w[k] * tile[t + k]
        out[i] = total
