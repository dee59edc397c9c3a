# by index and from the last block to the first; numbers of NumPy
import numpy as np


def shard(model, fully_shard):
    mixed = dict(reduce_dtype=torch.float32, param_dtype=torch.bfloat16)
    count = len(model.blocks)
    for at in reversed(range(count)):
        fully_shard(model.blocks[at], reshard_after_forward=at < count - 1, **mixed)
    return fully_shard(model, **mixed)


def messages(units):
    freed = np.array([bool(is_freed) for _, is_freed in units])
    return np.array([len(freed) + freed.sum(), len(freed)])


def gathered_bytes(shapes, ranks):
    total = 0
    for rows, *rest in shapes:
        while rows % ranks:
            rows += 1
        total += int(np.prod([rows, *rest], dtype=np.int64)) * 2
    return total


def peak(units):
    (root, _), *blocks = units
    there = [root]
    for at, (numbers, _) in enumerate(blocks):
        there.append(root + numbers + sum(n for n, is_freed in blocks[:at] if not is_freed))
    return max(there)
