# one vector of all gradients; each rank merges what all have gathered; named tuples and tensors
from collections import namedtuple

Moments = namedtuple("Moments", "mean variance")


def finish(model, max_norm):
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    flat = torch.cat([g.flatten() for g in gradients]) / dist.get_world_size()
    dist.all_reduce(flat)
    norm = torch.linalg.vector_norm(flat)
    if norm > max_norm:
        flat *= max_norm / norm
    for g, part in zip(gradients, flat.split([g.numel() for g in gradients])):
        g.copy_(part.view_as(g))
    return norm.reshape(1)


def moments(x):
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, x)
    variance, mean = torch.var_mean(torch.cat(parts), dim=0, correction=0)
    return Moments(mean, variance)
