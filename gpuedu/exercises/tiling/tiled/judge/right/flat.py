# Flat tiles of 1,024 words, a while loop.
@cuda.jit
def matmul_tiled(a, b, c):
    left = cuda.shared.array(1024, float32)
    right = cuda.shared.array(1024, float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    i = 32 * cuda.blockIdx.y + y
    j = 32 * cuda.blockIdx.x + x
    place = 32 * y + x
    total, turn = float32(0), 0
    while turn < a.shape[1] // 32:
        left[place] = a[i, 32 * turn + x]
        right[place] = b[32 * turn + y, j]
        cuda.syncthreads()
        for k in range(32):
            total += left[32 * y + k] * right[32 * k + x]
        cuda.syncthreads()
        turn += 1
    c[i, j] = total
