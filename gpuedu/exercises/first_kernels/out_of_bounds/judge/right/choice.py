# A conditional expression.
found = {"line": 5, "block": 3, "thread": 231, "index": 1000}


@cuda.jit
def rises(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i + 1] - x[i] if i < out.size - 1 else 0
