# loses: once
# counts what every layer makes
def saved_bytes(samples, layers):
    return [4 * samples * o for kind, i, o in layers] + [4 * samples * layers[-1][2]]
