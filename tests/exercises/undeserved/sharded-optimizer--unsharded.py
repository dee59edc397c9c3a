# must lose: ragged, bytes
import torch
import torch.distributed as dist


def step(weights, update):
    for number, w in enumerate(weights):
        if w.requires_grad:
            if w.grad is None:
                w.grad = torch.zeros_like(w)
            dist.all_reduce(w.grad, op=dist.ReduceOp.AVG)
            update(number, w, w.grad)
