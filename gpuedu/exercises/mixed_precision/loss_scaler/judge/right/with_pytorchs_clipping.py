# lets PyTorch's optimizer and clipping do the work


def scaled_step(weights, loss, scale, lr, max_norm):
    optimizer = torch.optim.SGD(weights, lr=lr)
    (loss * scale).backward()
    for weight in weights:
        weight.grad.div_(scale)
    found_inf = torch.tensor([not torch.isfinite(weight.grad).all() for weight in weights]).any()
    if not found_inf:
        torch.nn.utils.clip_grad_norm_(weights, max_norm)
        optimizer.step()
    optimizer.zero_grad()
    return found_inf
