# the last rank that has a copy writes it; pieces of a tensor are joined in their order
def save(rank, held, pieces, write):
    def belongs_to_me(name):
        later = [ranges.get(name) for ranges in held[rank + 1 :]]
        return held[rank][name] not in later

    chunks = []
    for name in reversed(sorted(pieces)):
        start, stop = held[rank][name]
        if stop > start and belongs_to_me(name):
            place = write(pieces[name].narrow(0, 0, stop - start))
            chunks.append([name, start, stop, place])
    return chunks


def load(needed, chunks, read):
    found = {}
    for name, (first, last) in needed.items():
        at, parts = first, [torch.zeros(0, dtype=torch.float64)]
        for _, start, stop, file, place in sorted(one for one in chunks if one[0] == name):
            if start <= at < stop and at < last:
                count = min(stop, last) - at
                parts.append(read(file, place + at - start, count))
                at += count
        if at < last:
            raise ValueError(name)
        found[name] = torch.cat(parts)
    return found
