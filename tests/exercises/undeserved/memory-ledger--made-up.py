# must lose: optimizer
def held_bytes(layers, optimizer):
    return {
        "weights": 4,
        "gradients": 4,
        "optimizer": {"sgd": 0, "momentum": 4, "adam": 8}[optimizer],
    }


def saved_bytes(samples, layers):
    return [0] * (len(layers) + 1)
