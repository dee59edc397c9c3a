# must lose: shares
found = {"jumps": ("C", "skipped"), "widen": ("C", "in-place"), "shares": ("E", "missing")}


@cuda.jit
def jumps(x, out):
    s = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if i < x.size:
        s[t] = x[i]
    cuda.syncthreads()
    if i < x.size:
        out[i] = s[t] - s[t - 1] if t > 0 else 0


@cuda.jit
def widen(x, steps, out):
    s = cuda.shared.array(128, np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    s[t] = x[row, t]
    cuda.syncthreads()
    for _ in range(steps):
        largest = s[t]
        if 0 < t < cuda.blockDim.x - 1:
            largest = max(s[t - 1], largest, s[t + 1])
        cuda.syncthreads()
        s[t] = largest
        cuda.syncthreads()
    out[row, t] = s[t]


@cuda.jit
def shares(x, out):
    total = cuda.shared.array(1, np.float32)
    i = cuda.threadIdx.x
    for row in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
        if i == 0:
            total[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(total, 0, abs(x[row, i]))
        cuda.syncthreads()
        out[row, i] = x[row, i] / total[0]
        cuda.syncthreads()
