# the same number, but a float
def copied_bytes(n, itemsize):
    bytes_per_element = itemsize / 0.5
    return n * bytes_per_element
