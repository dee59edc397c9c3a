# copies are shared out among the ranks that have them; a mask says what was found
def save(rank, held, pieces, write):
    chunks = []
    for name, values in pieces.items():
        mine = held[rank][name]
        owners = [r for r in range(len(held)) if name in held[r] and held[r][name] == mine]
        count = mine[1] - mine[0]
        if count and owners[len(name) % len(owners)] == rank:
            chunks.append((name, *mine, write(values[:count].clone())))
    return tuple(chunks)


def load(needed, chunks, read):
    found = {name: torch.full((b - a,), math.nan).double() for name, (a, b) in needed.items()}
    for name, start, stop, file, place in chunks:
        if name not in needed:
            continue
        first, last = needed[name]
        overlap = range(max(start, first), min(stop, last))
        if overlap:
            part = read(file, place - start + overlap[0], len(overlap))
            found[name][overlap[0] - first : overlap[-1] + 1 - first] = part
    if any(values.isnan().any() for values in found.values()):
        raise ValueError("something is in no chunk")
    return found
