# loses: once
# asks: The tile has no halo, so threads at its ends read their neighbors' inputs from global
#   memory, several the same one. Which thread could bring each into the tile?
@cuda.jit
def smooth(x, w, out):
    tile = cuda.shared.array(128, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    if i < x.size:
        tile[t] = x[i]
    cuda.syncthreads()
    if i < out.size:
        total = float32(0)
        for k in range(7):
            j = i + k - 3
            if 0 <= j < x.size:
                if 0 <= t + k - 3 < 128:
                    total += w[k] * tile[t + k - 3]
                else:
                    total += w[k] * x[j]
        out[i] = total
