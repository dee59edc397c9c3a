# The barrier stands at the beginning of a round.
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    if i < x.size:
        part[t] = x[i]
    else:
        part[t] = 0
    half = cuda.blockDim.x
    while half > 1:
        half //= 2
        cuda.syncthreads()
        if t < half:
            part[t] += part[t + half]
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]
