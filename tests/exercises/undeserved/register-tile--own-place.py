# must lose: waits, banks, intensity
def make_matmul(t, side):
    @cuda.jit
    def matmul(a, b, c):
        own = cuda.shared.array((2, 256), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        n = 16 * y + x
        for top in range(
            side * cuda.blockIdx.y + y, min(side * cuda.blockIdx.y + side, c.shape[0]), 16
        ):
            for left in range(
                side * cuda.blockIdx.x + x, min(side * cuda.blockIdx.x + side, c.shape[1]), 16
            ):
                total = float32(0)
                for k in range(a.shape[1]):
                    own[0, n], own[1, n] = a[top, k], b[k, left]
                    total += own[0, n] * own[1, n]
                c[top, left] = total

    return matmul
