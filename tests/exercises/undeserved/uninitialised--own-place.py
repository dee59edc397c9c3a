# must lose: written, waits
found = {"line": 12, "block": 1, "index": 36, "count": 28}


@cuda.jit
def block_sums(x, out):
    own = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    own[t] = 0
    if t == 0:
        for i in range(64 * cuda.blockIdx.x, min(64 * cuda.blockIdx.x + 64, x.size)):
            own[t] += x[i]
        out[cuda.blockIdx.x] = own[t]
