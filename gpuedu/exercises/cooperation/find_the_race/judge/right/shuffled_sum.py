# jumps clamps the index; at the ends, widen's neighbors are the element itself; shares by shuffles
@cuda.jit
def jumps(x, out):
    s = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s[t] = x[min(i, x.size - 1)]
    cuda.syncthreads()
    if i < x.size:
        out[i] = s[t] - s[max(t - 1, 0)]


@cuda.jit
def widen(x, steps, out):
    s = cuda.shared.array(128, np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    s[t] = x[row, t]
    cuda.syncthreads()
    is_inner = 0 < t < cuda.blockDim.x - 1
    left, right = (t - 1, t + 1) if is_inner else (t, t)
    for _ in range(steps):
        a, b, c = s[left], s[t], s[right]
        cuda.syncthreads()
        s[t] = max(a, max(b, c))
        cuda.syncthreads()
    out[row, t] = s[t]


@cuda.jit
def shares(x, out):
    total = cuda.shared.array(1, np.float32)
    t = cuda.threadIdx.x
    turns = (x.shape[0] - cuda.blockIdx.x + cuda.gridDim.x - 1) // cuda.gridDim.x
    for k in range(turns):
        row = cuda.blockIdx.x + k * cuda.gridDim.x
        if t == 0:
            total[0] = 0
        cuda.syncthreads()
        value = x[row, t]
        for d in (16, 8, 4, 2, 1):
            value += cuda.shfl_down_sync(0xFFFFFFFF, value, d)
        if t % 32 == 0:
            cuda.atomic.add(total, 0, value)
        cuda.syncthreads()
        out[row, t] = x[row, t] / total[0]
        cuda.syncthreads()
