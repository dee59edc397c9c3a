# must lose: rounds, whole-warps
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    if t == 0:
        b = 32
        total = (
            part[0]
            + part[1]
            + part[2]
            + part[3]
            + part[4]
            + part[5]
            + part[6]
            + part[7]
            + part[8]
            + part[9]
            + part[10]
            + part[11]
            + part[12]
            + part[13]
            + part[14]
            + part[15]
            + part[16]
            + part[17]
            + part[18]
            + part[19]
            + part[20]
            + part[21]
            + part[22]
            + part[23]
            + part[24]
            + part[25]
            + part[26]
            + part[27]
            + part[28]
            + part[29]
            + part[30]
            + part[31]
        )
        while b < cuda.blockDim.x:
            total += (
                part[b + 0]
                + part[b + 1]
                + part[b + 2]
                + part[b + 3]
                + part[b + 4]
                + part[b + 5]
                + part[b + 6]
                + part[b + 7]
                + part[b + 8]
                + part[b + 9]
                + part[b + 10]
                + part[b + 11]
                + part[b + 12]
                + part[b + 13]
                + part[b + 14]
                + part[b + 15]
                + part[b + 16]
                + part[b + 17]
                + part[b + 18]
                + part[b + 19]
                + part[b + 20]
                + part[b + 21]
                + part[b + 22]
                + part[b + 23]
                + part[b + 24]
                + part[b + 25]
                + part[b + 26]
                + part[b + 27]
                + part[b + 28]
                + part[b + 29]
                + part[b + 30]
                + part[b + 31]
            )
            b += 32
        sums[cuda.blockIdx.x] = total
