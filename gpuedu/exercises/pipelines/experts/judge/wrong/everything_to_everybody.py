# loses: bytes
# asks: How many ranks need to see one token?
def moe_forward(x, logits, capacity, w1, w2):
    ranks, rank, each = dist.get_world_size(), dist.get_rank(), len(w1)
    expert, gate, kept = route(logits, capacity)
    count = torch.tensor([len(x)])
    counts = torch.empty(ranks, dtype=torch.int64)
    dist.all_gather_into_tensor(counts, count)
    most = int(counts.max())
    rows = torch.zeros(most, x.shape[1] + 1, dtype=x.dtype)
    rows[: len(x), :-1] = x
    rows[:, -1] = -1
    rows[: len(x), -1] = torch.where(kept, expert, -1).to(x.dtype)
    everything = torch.empty(ranks * most, x.shape[1] + 1, dtype=x.dtype)
    dist.all_gather_into_tensor(everything, rows)
    y = torch.zeros(ranks * most, x.shape[1], dtype=x.dtype)
    for e in range(each):
        mine = everything[:, -1] == rank * each + e
        y[mine] = torch.relu(everything[mine, :-1] @ w1[e]) @ w2[e]
    dist.all_reduce(y)
    return x + gate[:, None] * y.split(most)[rank][: len(x)]
