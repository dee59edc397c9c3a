# must lose: victim
def victim(cached):
    needed = {one["before"] for one in cached.values() if one["before"]}
    free = [key for key, one in cached.items() if not one["holders"] and key not in needed]
    return min(free, key=lambda key: cached[key]["used"]) if free else None


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
