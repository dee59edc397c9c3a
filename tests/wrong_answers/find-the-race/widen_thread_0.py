# loses: parallel
# one thread walks along the row
@cuda.jit
def widen(x, steps, out):
    s = cuda.shared.array(128, np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    s[t] = x[row, t]
    cuda.syncthreads()
    if t == 0:
        for _ in range(steps):
            before = s[0]
            for k in range(1, cuda.blockDim.x - 1):
                own = s[k]
                s[k] = max(before, own, s[k + 1])
                before = own
    cuda.syncthreads()
    out[row, t] = s[t]
