# rows first, with an all-reduce of the hidden layer before gelu
# loses: bytes
# asks: How wide is what you sum before `gelu`, and how wide is `y`?
def split(w1, w2):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    return w1.tensor_split(ranks, dim=1)[rank], w2.tensor_split(ranks)[rank]


def mlp_forward(x, a, b, bias):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    widths = torch.zeros(ranks, dtype=torch.int64)
    widths[rank] = a.shape[1]
    dist.all_reduce(widths)
    hidden = torch.zeros(x.shape[0], int(widths.sum()), dtype=x.dtype)
    mine = hidden.split(widths.tolist(), dim=1)[rank]
    mine.copy_(x @ a)
    dist.all_reduce(hidden)
    y = gelu(hidden.split(widths.tolist(), dim=1)[rank]) @ b
    dist.all_reduce(y)
    return y + bias
