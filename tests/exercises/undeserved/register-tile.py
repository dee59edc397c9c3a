# must lose: inside, float32, registers
def make_matmul(t, side):
    @cuda.jit
    def matmul(a, b, c):
        sums = cuda.local.array((t, t), float32)
        sums[:] = 0
        put(sums, c, side * cuda.blockIdx.y + cuda.threadIdx.y, side * cuda.blockIdx.x + cuda.threadIdx.x)

    return matmul
