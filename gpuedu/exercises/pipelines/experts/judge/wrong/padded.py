# loses: bytes
# asks: How many of the rows that a rank sends to an expert are tokens?
def moe_forward(x, logits, capacity, w1, w2):
    ranks, each, width = dist.get_world_size(), len(w1), x.shape[1]
    expert, gate, kept = route(logits, capacity)
    chosen = torch.nn.functional.one_hot(expert, ranks * each)
    place = (chosen.cumsum(0) * chosen).sum(1) - 1
    most = torch.tensor([int(place[kept].max()) + 1 if kept.any() else 0])
    dist.all_reduce(most, op=dist.ReduceOp.MAX)
    room = int(most)
    slots = torch.zeros(ranks * each, room, width, dtype=x.dtype)
    slots[expert[kept], place[kept]] = x[kept]
    arrived = torch.empty_like(slots)
    dist.all_to_all_single(arrived, slots)
    arrived = arrived.view(ranks, each, room, width)
    done = torch.stack(
        [torch.relu(arrived[:, e] @ w1[e]) @ w2[e] for e in range(each)], dim=1
    ).reshape(slots.shape)
    back = torch.empty_like(slots)
    dist.all_to_all_single(back, done)
    y = x.clone()
    y[kept] += gate[kept, None] * back[expert[kept], place[kept]]
    return y
