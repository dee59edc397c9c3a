# loses: warp
# one place for each lane, shared by all warps
@cuda.jit(device=True)
def warp_sum(value):
    part = cuda.shared.array(32, np.float32)
    t = cuda.threadIdx.x
    part[t % 32] = value
    total = np.float32(0)
    for k in range(32):
        total += part[k]
    return total
