# Halves by shifts.
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    half = cuda.blockDim.x >> 1
    while half:
        if t < half:
            part[t] = part[t] + part[t + half]
        cuda.syncthreads()
        half >>= 1
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]
