# loses: widen
# reads x instead of s: every step begins anew
@cuda.jit
def widen(x, steps, out):
    s = cuda.shared.array(128, np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    s[t] = x[row, t]
    cuda.syncthreads()
    for _ in range(steps):
        if 0 < t < cuda.blockDim.x - 1:
            s[t] = max(x[row, t - 1], x[row, t], x[row, t + 1])
        cuda.syncthreads()
    out[row, t] = s[t]
