# must lose: measured
def held_bytes(layers, optimizer):
    size = 208_936 if optimizer == "sgd" else 340_008
    return {
        "weights": size,
        "gradients": size,
        "optimizer": size * {"sgd": 0, "momentum": 1, "adam": 2}[optimizer],
    }


def saved_bytes(n, layers):
    return [{256: 534_532, 512: 3_166_212, 384: 1_790_980}.get(n, 0)] + [0] * len(layers)
