# Halves counted by shifts.
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    rounds = 0
    while (1 << rounds) < cuda.blockDim.x:
        rounds += 1
    for r in range(rounds):
        half = cuda.blockDim.x >> (r + 1)
        if t < half:
            part[t] = part[t] + part[t + half]
        cuda.syncthreads()
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]
