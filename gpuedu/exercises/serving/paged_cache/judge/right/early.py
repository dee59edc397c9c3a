# Each case of its own, with an early return.
def append(state, text):
    size, free, holders = state["size"], state["free"], state["holders"]
    tables, lengths = state["tables"], state["lengths"]
    length = lengths.get(text, 0)
    if length % size == 0:
        if free == []:
            return None
        block = free.pop(0)
        holders[block] += 1
        tables.setdefault(text, []).append(block)
        lengths[text] = length + 1
        return block, 0, None
    last = tables[text][-1]
    if holders[last] == 1:
        lengths[text] += 1
        return last, length % size, None
    if free == []:
        return None
    block = free.pop(0)
    holders[last] -= 1
    holders[block] += 1
    tables[text][-1] = block
    lengths[text] += 1
    return block, length % size, last


def release(state, text):
    state["lengths"].pop(text)
    for block in reversed(state["tables"][text]):
        state["holders"][block] -= 1
    state["free"] += [one for one in state["tables"][text] if state["holders"][one] == 0]
    del state["tables"][text]
