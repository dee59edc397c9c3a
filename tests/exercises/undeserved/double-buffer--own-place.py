# must lose: waits, barriers
@cuda.jit
def matmul_twice(a, b, c):
    own = cuda.shared.array((2, 256), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    n = 16 * y + x
    for top in range(64 * cuda.blockIdx.y + y, min(64 * cuda.blockIdx.y + 64, c.shape[0]), 16):
        for left in range(64 * cuda.blockIdx.x + x, min(64 * cuda.blockIdx.x + 64, c.shape[1]), 16):
            total = float32(0)
            for k in range(a.shape[1]):
                own[0, n], own[1, n] = a[top, k], b[k, left]
                total += own[0, n] * own[1, n]
            c[top, left] = total


matmul = matmul_twice
