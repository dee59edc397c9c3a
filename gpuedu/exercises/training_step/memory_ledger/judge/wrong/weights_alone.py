# loses: measured
def saved_bytes(samples, layers):
    return [0] * (len(layers) + 1)
