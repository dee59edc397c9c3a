# loses: once
# a storage for each layer that saves it
def saved_bytes(samples, layers):
    saved, counted = [], True
    for kind, inputs, outputs in layers:
        size = 0
        if kind in ("linear", "gelu", "norm"):
            size, counted = 4 * samples * inputs, True
        if kind == "norm":
            size += 4 * samples * 2
        if kind == "dropout":
            size += 4 * samples * outputs
        if kind not in ("flatten", "relu_"):
            counted = False
        if kind in ("relu", "relu_", "sigmoid"):
            size, counted = size + 4 * samples * outputs, True
        saved.append(size)
    return [*saved, 4 * samples * layers[-1][2]]
