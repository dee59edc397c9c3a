# Whoever holds a block is looked up in the tables, the first free block is taken, lists are new.
def holders_of(state, block):
    return sum(table.count(block) for table in state["tables"].values())


def counted(state):
    blocks = range(len(state["holders"]))
    state["holders"] = [holders_of(state, block) for block in blocks]
    state["free"] = [block for block in blocks if not state["holders"][block]]


def append(state, text):
    table = state["tables"].get(text, [])
    used = state["lengths"].get(text, 0)
    full = used == len(table) * state["size"]
    if not full and holders_of(state, table[-1]) == 1:
        state["lengths"][text] = used + 1
        return (table[-1], used % state["size"], None)
    if len(state["free"]) == 0:
        return None
    block = min(state["free"])
    state["tables"] = {**state["tables"], text: (table if full else table[:-1]) + [block]}
    state["lengths"] = {**state["lengths"], text: used + 1}
    counted(state)
    return [block, used % state["size"], None if full else table[-1]]


def fork(state, old, new):
    for part in ("tables", "lengths"):
        state[part] = {**state[part], new: state[part][old]}
    counted(state)


def release(state, text):
    for part in ("tables", "lengths"):
        state[part] = {name: one for name, one in state[part].items() if name != text}
    counted(state)


def wasted_share(lengths, size, longest):
    there = sum(lengths)
    blocks = [length // size + (length % size > 0) for length in lengths]
    reserved = [len(lengths) * longest, sum(blocks) * size]
    return [(one - there) / one for one in reserved]
