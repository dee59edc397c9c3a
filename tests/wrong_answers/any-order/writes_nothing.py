# loses: inside
# computes, and keeps the result
@cuda.jit
def starts(lengths, start):
    i = cuda.grid(1)
    if i < lengths.size:
        total = 0
        for k in range(i):
            total += lengths[k]
