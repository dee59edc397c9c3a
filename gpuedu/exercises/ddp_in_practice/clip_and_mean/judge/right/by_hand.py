# a norm by hand; moments of parts put together from one call, as Chan and others do
import math


def finish(model, max_norm):
    average(model)
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    norm = math.sqrt(sum(g.pow(2).sum().item() for g in grads))
    if norm > max_norm:
        for g in grads:
            g.mul_(max_norm / norm)
    return norm


def mean_loss(loss, samples):
    own = loss * samples if samples else torch.zeros(())
    pair = torch.stack([own, torch.tensor(float(samples))])
    dist.all_reduce(pair)
    return pair[0] / pair[1]


def moments(x):
    rows, columns = x.shape
    own = x.mean(dim=0) if rows else torch.zeros(columns, dtype=x.dtype)
    mine = torch.stack([own, ((x - own) ** 2).sum(dim=0), torch.full_like(own, rows)])
    parts = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, mine)
    means, squares, counts = torch.stack(parts, dim=1)
    mean = (counts * means).sum(dim=0) / counts.sum(dim=0)
    between = (counts * (means - mean) ** 2).sum(dim=0)
    return mean, (squares.sum(dim=0) + between) / counts.sum(dim=0)
