# must lose: inside, barriers
@cuda.jit
def matmul_twice(a, b, c):
    sums = cuda.local.array((4, 4), float32)
    sums[:] = 0
    put_four(sums, c, 64 * cuda.blockIdx.y + cuda.threadIdx.y, 64 * cuda.blockIdx.x + cuda.threadIdx.x)


matmul = matmul_twice
