# loses: bytes
# asks: What happens to the result of a token that is dropped?
def moe_forward(x, logits, capacity, w1, w2):
    ranks, each = dist.get_world_size(), len(w1)
    expert, gate, kept = route(logits, capacity)
    order = expert.argsort(stable=True)
    counts = torch.bincount(expert, minlength=ranks * each)
    arriving = torch.empty_like(counts)
    dist.all_to_all_single(arriving, counts)
    gives = counts.view(ranks, each).sum(dim=1).tolist()
    takes = arriving.view(ranks, each).sum(dim=1).tolist()
    tokens = x.new_empty(sum(takes), x.shape[1])
    dist.all_to_all_single(tokens, x[order], takes, gives)
    asked = torch.arange(each).repeat(ranks).repeat_interleave(arriving)
    for e in range(each):
        tokens[asked == e] = torch.relu(tokens[asked == e] @ w1[e]) @ w2[e]
    back = torch.empty_like(x)
    dist.all_to_all_single(back, tokens, gives, takes)
    y = x.clone()
    y[order] += (gate * kept)[order, None] * back
    return y
