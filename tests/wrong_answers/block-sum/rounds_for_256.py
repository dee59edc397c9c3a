# loses: rounds
# the rounds of a block of 256 in every block
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    for gap in (128, 64, 32, 16, 8, 4, 2, 1):
        if t < gap and t + gap < cuda.blockDim.x:
            part[t] += part[t + gap]
        cuda.syncthreads()
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]
