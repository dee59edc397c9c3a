# The last one has a branch of its own.
found = {"line": 5, "block": 3, "thread": 231, "index": 1000}


@cuda.jit
def rises(x, out):
    i = cuda.grid(1)
    if i + 1 < x.size:
        out[i] = x[i + 1] - x[i]
    elif i < x.size:
        out[i] = 0
