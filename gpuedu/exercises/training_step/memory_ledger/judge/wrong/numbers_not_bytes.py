# loses: weights
# asks: Those are numbers. Each has 4 bytes.
def held_bytes(layers, optimiser):
    weights = sum((i * o + o) for kind, i, o in layers if kind == "linear")
    weights += sum(2 * i for kind, i, o in layers if kind == "norm")
    state = {"sgd": 0, "momentum": 1, "adam": 2}[optimiser] * weights
    return {"weights": weights, "gradients": weights, "optimiser": state}
