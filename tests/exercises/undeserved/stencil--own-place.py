# must lose: waits
@cuda.jit
def smooth(x, w, out):
    own = cuda.shared.array(128, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    total = float32(0)
    if i < x.size:
        for k in range(7):
            if 0 <= i + k - 3 < x.size:
                total += w[k] * x[i + k - 3]
    own[t] = total
    cuda.syncthreads()
    if i < x.size:
        out[i] = own[t]
