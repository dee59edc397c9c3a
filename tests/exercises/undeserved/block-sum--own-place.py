# must lose: ordered, no-conflict, whole-warps
@cuda.jit
def block_sum(x, sums):
    own = cuda.shared.array(256, np.float32)
    t, first = cuda.threadIdx.x, cuda.blockIdx.x * cuda.blockDim.x
    own[t] = 0
    for i in range(first, min(first + cuda.blockDim.x, x.size)):
        own[t] += x[i]
    if t == 0:
        sums[cuda.blockIdx.x] = own[t]
