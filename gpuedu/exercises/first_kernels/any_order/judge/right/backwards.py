# From the neighbor down to the first.
@cuda.jit
def starts(lengths, start):
    i = cuda.grid(1)
    if i < start.size:
        total = 0
        k = i - 1
        while k >= 0:
            total += lengths[k]
            k -= 1
        start[i] = total
