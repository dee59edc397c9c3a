# loses: widen
# everybody has read, but the next step begins before all have written
@cuda.jit
def widen(x, steps, out):
    s = cuda.shared.array(128, np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    s[t] = x[row, t]
    cuda.syncthreads()
    for _ in range(steps):
        largest = s[t]
        if 0 < t < cuda.blockDim.x - 1:
            largest = max(s[t - 1], s[t], s[t + 1])
        cuda.syncthreads()
        s[t] = largest
    out[row, t] = s[t]
