# jumps fills what is missing, widen has two arrays, shares two sums in turn
@cuda.jit
def jumps(x, out):
    s = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    before = s[max(t - 1, 0)]
    if i < x.size:
        out[i] = s[t] - before


@cuda.jit
def widen(x, steps, out):
    s = cuda.shared.array((2, 128), np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    s[0, t] = x[row, t]
    cuda.syncthreads()
    now = 0
    for _ in range(steps):
        largest = s[now, t]
        if 0 < t < cuda.blockDim.x - 1:
            largest = max(s[now, t - 1], s[now, t], s[now, t + 1])
        now = 1 - now
        s[now, t] = largest
        cuda.syncthreads()
    out[row, t] = s[now, t]


@cuda.jit
def shares(x, out):
    total = cuda.shared.array(2, np.float32)
    t = cuda.threadIdx.x
    own = 0
    for row in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
        if t == 0:
            total[own] = 0
        cuda.syncthreads()
        cuda.atomic.add(total, own, x[row, t])
        cuda.syncthreads()
        out[row, t] = x[row, t] / total[own]
        own = 1 - own
