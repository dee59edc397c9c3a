# must lose: once, sectors, waits, inside
@cuda.jit
def smooth(x, w, out):
    tile = cuda.shared.array(128, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = x[i] if i < x.size else float32(0)
    cuda.syncthreads()
    if i < out.size:
        out[i] = tile[t]
