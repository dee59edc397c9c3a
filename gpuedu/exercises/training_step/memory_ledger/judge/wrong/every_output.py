# loses: once
# asks: That counts every layer's output. What nothing saves is freed at once.
def saved_bytes(samples, layers):
    return [4 * samples * o for kind, i, o in layers] + [4 * samples * layers[-1][2]]
