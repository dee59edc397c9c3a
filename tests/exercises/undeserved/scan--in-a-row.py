# must lose: rounds
@cuda.jit
def scan_block(x, out, totals):
    i, t = cuda.grid(1), cuda.threadIdx.x
    b, e, last = cuda.blockIdx.x * cuda.blockDim.x, min(i + 1, x.size), t == cuda.blockDim.x - 1
    total = 0
    while b < e:
        total += (
            (x[b + 0] if b + 0 < e else 0)
            + (x[b + 1] if b + 1 < e else 0)
            + (x[b + 2] if b + 2 < e else 0)
            + (x[b + 3] if b + 3 < e else 0)
            + (x[b + 4] if b + 4 < e else 0)
            + (x[b + 5] if b + 5 < e else 0)
            + (x[b + 6] if b + 6 < e else 0)
            + (x[b + 7] if b + 7 < e else 0)
            + (x[b + 8] if b + 8 < e else 0)
            + (x[b + 9] if b + 9 < e else 0)
            + (x[b + 10] if b + 10 < e else 0)
            + (x[b + 11] if b + 11 < e else 0)
            + (x[b + 12] if b + 12 < e else 0)
            + (x[b + 13] if b + 13 < e else 0)
            + (x[b + 14] if b + 14 < e else 0)
            + (x[b + 15] if b + 15 < e else 0)
            + (x[b + 16] if b + 16 < e else 0)
            + (x[b + 17] if b + 17 < e else 0)
            + (x[b + 18] if b + 18 < e else 0)
            + (x[b + 19] if b + 19 < e else 0)
            + (x[b + 20] if b + 20 < e else 0)
            + (x[b + 21] if b + 21 < e else 0)
            + (x[b + 22] if b + 22 < e else 0)
            + (x[b + 23] if b + 23 < e else 0)
            + (x[b + 24] if b + 24 < e else 0)
            + (x[b + 25] if b + 25 < e else 0)
            + (x[b + 26] if b + 26 < e else 0)
            + (x[b + 27] if b + 27 < e else 0)
            + (x[b + 28] if b + 28 < e else 0)
            + (x[b + 29] if b + 29 < e else 0)
            + (x[b + 30] if b + 30 < e else 0)
            + (x[b + 31] if b + 31 < e else 0)
            + (x[b + 32] if b + 32 < e else 0)
            + (x[b + 33] if b + 33 < e else 0)
            + (x[b + 34] if b + 34 < e else 0)
            + (x[b + 35] if b + 35 < e else 0)
            + (x[b + 36] if b + 36 < e else 0)
            + (x[b + 37] if b + 37 < e else 0)
            + (x[b + 38] if b + 38 < e else 0)
            + (x[b + 39] if b + 39 < e else 0)
            + (x[b + 40] if b + 40 < e else 0)
            + (x[b + 41] if b + 41 < e else 0)
            + (x[b + 42] if b + 42 < e else 0)
            + (x[b + 43] if b + 43 < e else 0)
            + (x[b + 44] if b + 44 < e else 0)
            + (x[b + 45] if b + 45 < e else 0)
            + (x[b + 46] if b + 46 < e else 0)
            + (x[b + 47] if b + 47 < e else 0)
            + (x[b + 48] if b + 48 < e else 0)
            + (x[b + 49] if b + 49 < e else 0)
            + (x[b + 50] if b + 50 < e else 0)
            + (x[b + 51] if b + 51 < e else 0)
            + (x[b + 52] if b + 52 < e else 0)
            + (x[b + 53] if b + 53 < e else 0)
            + (x[b + 54] if b + 54 < e else 0)
            + (x[b + 55] if b + 55 < e else 0)
            + (x[b + 56] if b + 56 < e else 0)
            + (x[b + 57] if b + 57 < e else 0)
            + (x[b + 58] if b + 58 < e else 0)
            + (x[b + 59] if b + 59 < e else 0)
            + (x[b + 60] if b + 60 < e else 0)
            + (x[b + 61] if b + 61 < e else 0)
            + (x[b + 62] if b + 62 < e else 0)
            + (x[b + 63] if b + 63 < e else 0)
        )
        b += 64
    if i < x.size:
        out[i] = total
    if last:
        totals[cuda.blockIdx.x] = total


@cuda.jit
def add_before(upto, out):
    i, b = cuda.grid(1), cuda.blockIdx.x
    if b > 0 and i < out.size:
        out[i] += upto[b - 1]
