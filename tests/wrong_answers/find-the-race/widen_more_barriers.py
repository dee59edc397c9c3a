# loses: widen
# a barrier before and after the line that reads and writes
@cuda.jit
def widen(x, steps, out):
    s = cuda.shared.array(128, np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    s[t] = x[row, t]
    cuda.syncthreads()
    for _ in range(steps):
        cuda.syncthreads()
        if 0 < t < cuda.blockDim.x - 1:
            s[t] = max(s[t - 1], s[t], s[t + 1])
        cuda.syncthreads()
    out[row, t] = s[t]
