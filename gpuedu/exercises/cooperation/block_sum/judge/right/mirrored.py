# Each takes from the mirror image of its place.
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    n = cuda.blockDim.x
    while n > 1:
        if t < n // 2:
            part[t] += part[n - 1 - t]
        cuda.syncthreads()
        n //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]
