# loses: ends
# repeats the first and the last element
@cuda.jit
def smooth(x, w, out):
    tile = cuda.shared.array(134, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    last = x.size - 1
    tile[t + 3] = x[min(i, last)] if i < x.size + 3 else 0
    if t < 3:
        tile[t] = x[min(max(i - 3, 0), last)]
        tile[t + 131] = x[min(i + 128, last)]
    cuda.syncthreads()
    if i < out.size:
        total = float32(0)
        for k in range(7):
            total += w[k] * tile[t + k]
        out[i] = total
