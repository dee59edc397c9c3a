# lets PyTorch's optimiser and clipping do the work


def next_scale(scale, good_steps, found_inf, growth, backoff, interval):
    if found_inf:
        return scale * backoff, 0
    if good_steps + 1 < interval:
        return scale, good_steps + 1
    grown = scale * growth
    return (grown if grown <= torch.finfo(torch.float32).max else scale), 0


def scaled_step(weights, loss, scale, lr, max_norm):
    optimiser = torch.optim.SGD(weights, lr=lr)
    (loss * scale).backward()
    for weight in weights:
        weight.grad.div_(scale)
    found_inf = torch.tensor([not torch.isfinite(weight.grad).all() for weight in weights]).any()
    if not found_inf:
        torch.nn.utils.clip_grad_norm_(weights, max_norm)
        optimiser.step()
    optimiser.zero_grad()
    return found_inf
