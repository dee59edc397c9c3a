# loses: float32
# asks: That is one direction only. A copy reads every element and also writes it.
def copied_bytes(n, itemsize):
    return n * itemsize
