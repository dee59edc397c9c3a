# each weight is cut by itself, along its own elements
def step(weights, update):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    for number, w in enumerate(weights):
        if not w.requires_grad:
            continue
        each = math.ceil(w.numel() / ranks)
        gradient, values = torch.zeros(2, each * ranks, dtype=w.dtype)
        if w.grad is not None:
            gradient[: w.numel()] = w.grad.flatten() / ranks
        values[: w.numel()] = w.data.flatten()
        parts = list(gradient.split(each))
        mine = torch.empty(each, dtype=w.dtype)
        dist.reduce_scatter(mine, parts)
        piece = values[rank * each : (rank + 1) * each]
        update(number, piece, mine)
        pieces = [torch.empty(each, dtype=w.dtype) for _ in range(ranks)]
        dist.all_gather(pieces, piece)
        w.data = torch.cat(pieces)[: w.numel()].view_as(w)
