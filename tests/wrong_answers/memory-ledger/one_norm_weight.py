# loses: weights
# a norm has gamma alone
def held_bytes(layers, optimiser):
    weights = sum(4 * (i * o + o) for kind, i, o in layers if kind == "linear")
    weights += sum(4 * i for kind, i, o in layers if kind == "norm")
    state = {"sgd": 0, "momentum": 1, "adam": 2}[optimiser] * weights
    return {"weights": weights, "gradients": weights, "optimiser": state}
