# a thread without an element returns after the barrier; a barrier in front of the reset
found = {"jumps": ["c", "skipped"], "widen": ["c", "in-place"], "shares": ["e", "missing"]}


@cuda.jit
def jumps(x, out):
    s = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    if i >= x.size:
        return
    out[i] = s[t] - s[max(t - 1, 0)]


@cuda.jit
def shares(x, out):
    total = cuda.shared.array(1, np.float32)
    t = cuda.threadIdx.x
    for row in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
        cuda.syncthreads()
        if t == 0:
            total[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(total, 0, x[row, t])
        cuda.syncthreads()
        out[row, t] = x[row, t] / total[0]
