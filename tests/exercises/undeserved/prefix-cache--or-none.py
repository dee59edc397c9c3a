# must lose: victim
def victim(cached):
    best, at = None, 2**60
    needed = [one["before"] for one in cached.values()]
    for key, one in cached.items():
        if one["holders"] == 0 and key not in needed and one["used"] < at:
            best, at = key, one["used"]
    return best or None


def keys(tokens, size):
    found, before = [], 0
    for start in range(0, len(tokens) - size + 1, size):
        before = hash((before, *tokens[start : start + size]))
        found.append(before)
    return found


def match(known, tokens, size):
    count = 0
    for key in keys(tokens, size):
        if key not in known:
            break
        count += size
    return min(count, (len(tokens) - 1) // size * size)
