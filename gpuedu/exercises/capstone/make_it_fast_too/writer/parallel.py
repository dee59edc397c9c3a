"""Several ranks that train one model, each on its share of every batch."""

import torch
import torch.distributed as dist
from torch.nn.utils import parameters_to_vector, vector_to_parameters


def average_gradients(model, ranks):
    """Give every rank the mean of all gradients."""
    if ranks == 1:
        return
    weights = list(model.parameters())
    bucket = torch.cat([weight.grad.flatten() for weight in weights])
    dist.all_reduce(bucket)
    parts = (bucket / ranks).split([weight.numel() for weight in weights])
    for weight, part in zip(weights, parts, strict=True):
        weight.grad.copy_(part.view_as(weight))


@torch.no_grad()
def share_weights(model, ranks):
    """Give every rank the weights of rank 0."""
    if ranks == 1:
        return
    bucket = parameters_to_vector(model.parameters())
    dist.broadcast(bucket, 0)
    vector_to_parameters(bucket, model.parameters())


def total(value, ranks):
    """The sum of what all ranks have."""
    if ranks > 1:
        dist.all_reduce(value)
    return value
