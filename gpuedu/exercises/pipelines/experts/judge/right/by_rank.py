# Places by counting; numbers of tokens by rank and expert go before, results are scattered back
def route(logits, capacity):
    expert = logits.argmax(1)
    gate = logits.softmax(1)[torch.arange(len(expert)), expert]
    same = expert[:, None] == expert[None, :]
    earlier = torch.tril(same, diagonal=-1).sum(1)
    return expert, gate, earlier < capacity


def moe_forward(x, logits, capacity, w1, w2):
    ranks, each = dist.get_world_size(), len(w1)
    expert, gate, kept = route(logits, capacity)
    leaving = [torch.where(kept & (expert == e))[0] for e in range(ranks * each)]
    numbers = torch.tensor([len(one) for one in leaving])
    coming = numbers.clone()
    dist.all_to_all_single(coming, numbers.clone())
    out, into = numbers.reshape(ranks, -1), coming.reshape(ranks, -1)
    gives, takes = ([int(n) for n in table.sum(1)] for table in (out, into))
    order = torch.cat(leaving)
    arrived = torch.empty(sum(takes), x.shape[1], dtype=x.dtype)
    dist.all_to_all_single(
        arrived, x.index_select(0, order), output_split_sizes=takes, input_split_sizes=gives
    )
    chunks = list(arrived.split(coming.tolist()))
    for at, rows in enumerate(chunks):
        chunks[at] = (rows @ w1[at % each]).clamp(min=0) @ w2[at % each]
    back = torch.empty(len(order), x.shape[1], dtype=x.dtype)
    dist.all_to_all_single(
        back, torch.cat(chunks), output_split_sizes=gives, input_split_sizes=takes
    )
    return x.index_add(0, order, gate[order].unsqueeze(1) * back)


def balance_loss(logits):
    chances = logits.softmax(1)
    counts = torch.bincount(logits.argmax(1), minlength=logits.shape[1]).to(logits.dtype)
    means, tokens = chances.sum(0), torch.tensor(float(len(logits)), dtype=logits.dtype)
    for one in (counts, means, tokens):
        dist.all_reduce(one)
    return logits.shape[1] * torch.dot(counts / tokens, means / tokens)
