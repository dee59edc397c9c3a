# the last block by itself; backwards through the units
def shard(model, fully_shard):
    *others, last = model.blocks.children()
    half, whole = torch.bfloat16, torch.float32
    for one in others:
        fully_shard(one, param_dtype=half, reduce_dtype=whole)
    fully_shard(last, reshard_after_forward=False, param_dtype=half, reduce_dtype=whole)
    fully_shard(model, param_dtype=half, reduce_dtype=whole)


def messages(units):
    gathers = [2 if is_freed else 1 for _, is_freed in units]
    return [sum(gathers), len(gathers)]


def gathered_bytes(shapes, ranks):
    each = sum(-(-shape[0] // ranks) * math.prod(shape) // shape[0] for shape in shapes)
    return ranks * each * 2


def peak(units):
    live = sum(n for n, is_freed in units[1:] if not is_freed) + units[0][0]
    most = units[0][0]
    for n, is_freed in reversed(units[1:]):
        most = max(most, live + (n if is_freed else 0))
        live -= 0 if is_freed else n
    return most
