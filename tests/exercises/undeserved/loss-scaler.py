# must lose: skips
import torch


def next_scale(scale, good_steps, found_inf, growth, backoff, interval):
    return 0.0, 0


def scaled_step(weights, loss, scale, lr, max_norm):
    (loss * scale).backward()
    is_lost = not all(torch.isfinite(weight.grad).all() for weight in weights)
    for weight in weights:
        weight.grad = None
    return is_lost
