"""Answers of simulated ranks that take more of the network than there is, or send what is free.

``BY_EXERCISE`` has the answer, and what it has earned all the same.
"""

TREES_IN_MANY_GROUPS = """
def hierarchical(x, per_node):
    groups = [dist.new_group() for _ in range(64)]
    parts = [(part, group) for part, group in zip(x.tensor_split(64), groups) if part.numel()]
    for one in [dist.reduce(part, 0, group=group, async_op=True) for part, group in parts]:
        one.wait()
    for one in [dist.broadcast(part, 0, group=group, async_op=True) for part, group in parts]:
        one.wait()
"""
"""All of it through rank 0's card, in 64 groups of everybody at once."""

SUMS_IN_MANY_GROUPS = """
def attach(buckets):
    ranks = dist.get_world_size()
    groups = [dist.new_group() for _ in range(40)]

    def finish():
        for bucket in buckets:
            for p in bucket:
                p.grad = torch.zeros_like(p) if p.grad is None else p.grad
            flat = torch.cat([p.grad.reshape(-1) for p in bucket])
            parts = [one for one in flat.tensor_split(40) if one.numel()]
            pairs = zip(parts, groups)
            for one in [dist.all_reduce(p, group=g, async_op=True) for p, g in pairs]:
                one.wait()
            for p, part in zip(bucket, (flat / ranks).split([p.numel() for p in bucket])):
                p.grad.copy_(part.view_as(p))

    return finish
"""
"""Nothing travels before the backward pass is over."""

GATHERS_IN_MANY_GROUPS = """
MANY = 8


def gather_now(piece, allocate, groups):
    ranks = dist.get_world_size()
    buffer, rows, begun = allocate(ranks * len(piece)), [], []
    for part, group in zip(piece.tensor_split(MANY), groups):
        if len(part):
            rows.append(torch.empty(ranks * len(part), dtype=part.dtype))
            begun.append(
                dist.all_gather_into_tensor(rows[-1], part.clone(), group=group, async_op=True)
            )
    for one in begun:
        one.wait()
    buffer.view(ranks, -1).copy_(torch.cat([one.view(ranks, -1) for one in rows], 1))
    return buffer


def scatter_now(whole, groups):
    rows, begun, mine = whole.view(dist.get_world_size(), -1).clone(), [], []
    for part, group in zip(rows.tensor_split(MANY, 1), groups):
        if part.numel():
            mine.append(torch.empty(part.shape[1], dtype=part.dtype))
            given = part.contiguous().view(-1)
            average = dict(op=dist.ReduceOp.AVG, group=group, async_op=True)
            begun.append((dist.reduce_scatter_tensor(mine[-1], given, **average), given))
    for one, _ in begun:
        one.wait()
    return torch.cat(mine)


def forward_pass(pieces, allocate, free, forward):
    groups = [dist.new_group() for _ in range(MANY)]
    for k, piece in enumerate(pieces):
        weights = gather_now(piece, allocate, groups)
        forward(k, weights)
        if k < len(pieces) - 1:
            free(weights)
    return weights


def backward_pass(pieces, weights, allocate, free, backward):
    groups, gradients = [dist.new_group() for _ in range(MANY)], []
    for k in reversed(range(len(pieces))):
        if k < len(pieces) - 1:
            weights = gather_now(pieces[k], allocate, groups)
        whole = allocate(len(weights))
        backward(k, weights, whole)
        free(weights)
        gradients.insert(0, scatter_now(whole, groups))
        free(whole)
    return gradients
"""
"""Each layer is gathered when it is needed, and reduced while nothing else is done."""

_SCATTERED = """
def shared(tensor):
    found = []
    for src in range(dist.get_world_size()):
        found.append(torch.empty_like(tensor))
        copies = [tensor.clone() for _ in range(dist.get_world_size())]
        dist.scatter(found[-1], copies if dist.get_rank() == src else None, src=src)
    dist.all_reduce(torch.zeros(1))  # a rank that hands over nothing at all is seen
    return found


def parallel_cross_entropy(scores, targets, first, vocabulary):
    whole = torch.cat(shared(scores), 1)
    whole[:, vocabulary:] = -math.inf
    gradient = torch.softmax(whole, 1)
    losses = torch.nn.functional.cross_entropy(whole, targets, reduction="none")
    gradient[torch.arange(len(targets)), targets] -= 1
    return losses, gradient[:, first : first + scores.shape[1]].clone()


def add_copies(gradient, heads, kv_heads):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    held = [heads_of(one, ranks, heads, kv_heads)[1] for one in range(ranks)]
    padded = torch.zeros(kv_heads, gradient.shape[1], dtype=gradient.dtype)
    padded[held[rank]] = gradient
    return sum(shared(padded))[held[rank]]
"""
"""Every rank scatters copies of all that it has."""

_KEPT = """
kept, split_apart = {}, split


def split(w1, w2):
    kept[dist.get_rank()] = w1.clone(), w2.clone()
    return split_apart(w1, w2)


def mlp_forward(x, a, b, bias):
    w1, w2 = kept[dist.get_rank()]
    return gelu(x @ w1) @ w2 + bias


def mlp_backward(x, a, b, dy):
    w1, w2 = kept[dist.get_rank()]
    dx = (dy @ w2.T * gelu_slope(x @ w1)) @ w1.T
    return dx, x.T @ (dy @ b.T * gelu_slope(x @ a)), gelu(x @ a).T @ dy
"""
"""Every rank keeps the whole matrices, and sends nothing."""

_NARROW = """
def reduce_layer(weights, piece):
    ranks, rank, each = dist.get_world_size(), dist.get_rank(), len(piece)
    trained = [w for w in weights if w.requires_grad]
    grads = [torch.zeros_like(w) if w.grad is None else w.grad for w in trained]
    flat = torch.cat([grad.flatten() for grad in grads]).float()
    dist.all_reduce(flat)
    mine = flat.double()[rank * each : (rank + 1) * each] / ranks
    piece[: len(mine)] += mine
    for w in weights:
        w.grad = None
"""
"""An all-reduce of numbers of half the width, in place of a reduce-scatter."""

_NARROW_STEP = """
def step(weights, update):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    trained = [w for w in weights if w.requires_grad]
    grads = [torch.zeros_like(w) if w.grad is None else w.grad for w in trained]

    def padded(tensors):
        flat = torch.cat([one.flatten() for one in tensors])
        return torch.nn.functional.pad(flat, (0, -len(flat) % ranks))

    with torch.no_grad():
        narrow = padded(grads).float()
        dist.all_reduce(narrow)
        gradient = narrow.double().view(ranks, -1)[rank] / ranks
        whole = padded(trained)
        piece = whole.view(ranks, -1)[rank].clone()
        update("mine", piece, gradient)
        dist.all_gather_into_tensor(whole, piece)
        torch.nn.utils.vector_to_parameters(whole[: sum(w.numel() for w in trained)], trained)
"""

_NARROW_TWICE = """
def average(model, samples):
    total = torch.tensor(float(samples), dtype=torch.float64)
    dist.all_reduce(total)
    trained = [p for p in model.parameters() if p.requires_grad]
    for share in (samples / total.item(), 1 / dist.get_world_size()):
        for p in trained:
            narrow = (torch.zeros_like(p) if p.grad is None else p.grad * share).float()
            dist.all_reduce(narrow)
            p.grad = narrow.double()
"""

BY_EXERCISE = {
    "hierarchical": (TREES_IN_MANY_GROUPS, {"sum"}),
    "overlap": (SUMS_IN_MANY_GROUPS, {"mean", "order", "unused", "again"}),
    "fsdp": (GATHERS_IN_MANY_GROUPS, {"equal", "peak", "bytes"}),
    "attention-heads": (
        _SCATTERED,
        {"heads", "copies", "losses", "gradient", "padding", "stable"},
    ),
    "column-row": (_KEPT, set()),
    "sharded-gradients": (_NARROW, {"equal", "adds", "unused", "freed"}),
    "sharded-optimizer": (_NARROW_STEP, {"equal", "ragged", "shared", "share"}),
    "naive-ddp": (_NARROW_TWICE, {"start", "equal", "ragged", "unused", "shared"}),
}
