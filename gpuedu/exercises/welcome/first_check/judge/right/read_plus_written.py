# says what is read and what is written apart
def copied_bytes(n, itemsize):
    read = n * itemsize
    written = n * itemsize
    return read + written
