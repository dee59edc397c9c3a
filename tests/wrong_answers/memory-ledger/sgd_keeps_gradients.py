# loses: optimiser
# plain SGD keeps a state
def held_bytes(layers, optimiser):
    weights = sum(4 * (i * o + o) for kind, i, o in layers if kind == "linear")
    weights += sum(4 * 2 * i for kind, i, o in layers if kind == "norm")
    state = {"sgd": 1, "momentum": 1, "adam": 2}[optimiser] * weights
    return {"weights": weights, "gradients": weights, "optimiser": state}
