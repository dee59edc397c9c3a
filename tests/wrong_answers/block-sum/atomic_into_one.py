# loses: rounds
# one place for all, one after the other
@cuda.jit
def block_sum(x, sums):
    total = cuda.shared.array(1, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if t == 0:
        total[0] = 0
    cuda.syncthreads()
    if i < x.size:
        cuda.atomic.add(total, 0, x[i])
    cuda.syncthreads()
    if t == 0:
        sums[cuda.blockIdx.x] = total[0]
