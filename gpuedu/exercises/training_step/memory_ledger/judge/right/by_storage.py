def held_bytes(layers, optimizer):
    tensors = []
    for kind, i, o in layers:
        if kind == "linear":
            tensors += [i * o, o]
        if kind == "norm":
            tensors += [i, i]
    weights = 4 * sum(tensors)
    state = 0
    if optimizer == "momentum":
        state = weights
    if optimizer == "adam":
        state = 2 * weights + 4 * len(tensors)
    return {"weights": weights, "gradients": weights, "optimizer": state}


def saved_bytes(samples, layers):
    owner, storage, new, result = {0: "batch"}, 0, 1, []
    for kind, i, o in layers:
        saves = []
        before = storage
        if kind not in ("flatten", "relu_"):
            storage, new = new, new + 1
        if kind in ("linear", "gelu", "norm"):
            saves.append((before, i))
        if kind in ("relu", "relu_", "sigmoid"):
            saves.append((storage, o))
        numbers = 2 if kind == "norm" else o if kind == "dropout" else 0
        for which, count in saves:
            if which not in owner:
                owner[which] = kind
                numbers += count
        result.append(4.0 * samples * numbers)
    return tuple(result) + (4 * samples * layers[-1][-1] + 4,)
