# loses: layers
# A storage is known by its width alone: two of one width are taken for one.
def saved_bytes(samples, layers):
    seen, saved = {layers[0][1]}, []
    for kind, i, o in layers:
        size = 8 * samples if kind == "norm" else 4 * samples * o if kind == "dropout" else 0
        if kind not in ("dropout", "flatten"):
            width = o if kind in ("relu", "relu_", "sigmoid") else i
            if width not in seen:
                size += 4 * samples * width
                seen.add(width)
        saved.append(size)
    return [*saved, 4 * samples * layers[-1][2]]
