# must lose: bytes
def shard(model, fully_shard):
    """Make the units: `fully_shard(module, reshard_after_forward=..., param_dtype=..., ...)`."""
    dtypes = {"param_dtype": torch.bfloat16, "reduce_dtype": torch.float32}
    for block in model.blocks:
        fully_shard(block, reshard_after_forward=block is not model.blocks[-1], **dtypes)
    fully_shard(model, reshard_after_forward=False, **dtypes)


def messages(units):
    """All-gathers and reduce-scatters of a step."""
    return len(units) + sum(is_freed for _, is_freed in units), len(units)


def gathered_bytes(shapes, ranks):
    rows = [ranks * math.ceil(shape[0] / ranks) for shape in shapes]
    return sum(2 * n * (shape[1] if len(shape) > 1 else 1) for n, shape in zip(rows, shapes))


def peak(units):
    """The most weights that are whole at once."""
    stays = most = units[0][0]
    for numbers, is_freed in units[1:]:
        most = max(most, stays + numbers)
        if not is_freed:
            stays += numbers
    return most
