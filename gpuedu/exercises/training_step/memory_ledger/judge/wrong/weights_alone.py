# loses: measured
# asks: A line above may tell which layer.
def saved_bytes(samples, layers):
    return [0] * (len(layers) + 1)
