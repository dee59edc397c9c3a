# must lose: keys
def keys(tokens, size):
    # [1, 23] and [12, 3] are the same digits
    ends = range(size, len(tokens) + 1, size)
    return [hash("".join(map(str, tokens[:end]))) for end in ends]


def match(known, tokens, size):
    return 0


def victim(cached):
    return None
