# must lose: waits, banks
@cuda.jit
def transpose(m, out):
    own = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    if i < m.shape[0] and j < m.shape[1]:
        own[y, x] = m[i, j]
    cuda.syncthreads()
    if i < m.shape[0] and j < m.shape[1]:
        out[j, i] = own[y, x]
