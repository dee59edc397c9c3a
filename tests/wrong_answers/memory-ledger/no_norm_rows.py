# loses: layers
# forgets the two numbers of each row
def saved_bytes(samples, layers):
    saved, counted = [], True
    for kind, inputs, outputs in layers:
        size = 0
        if kind in ("linear", "gelu", "norm") and not counted:
            size, counted = 4 * samples * inputs, True
        if kind == "norm":
            size += 0
        if kind == "dropout":
            size += 4 * samples * outputs
        if kind not in ("flatten", "relu_"):
            counted = False
        if kind in ("relu", "relu_", "sigmoid") and not counted:
            size, counted = size + 4 * samples * outputs, True
        saved.append(size)
    return [*saved, 4 * samples * layers[-1][2]]
