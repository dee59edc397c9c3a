# All lengths, those behind as zero.
@cuda.jit
def starts(lengths, start):
    i = cuda.grid(1)
    if i < start.size:
        total = 0
        for k in range(lengths.size):
            if k < i:
                total += lengths[k]
        start[i] = total
