# A key of everything up to the end of a block, and a loop over lengths.
def keys(tokens, size):
    return [hash(tuple(tokens[:end])) for end in range(size, len(tokens) + 1, size)]


def match(known, tokens, size):
    of_text = keys(tokens[:-1], size)
    whole = 0
    while whole < len(of_text) and of_text[whole] in known:
        whole += 1
    return whole * size


def victim(cached):
    for key in sorted(cached, key=lambda one: cached[one]["used"]):
        if cached[key]["holders"]:
            continue
        if not any(one["before"] == key for one in cached.values()):
            return key
    return None
