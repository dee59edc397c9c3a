# asks for the gradients, keeps none, and clips as PyTorch does


def next_scale(scale, good_steps, found_inf, growth, backoff, interval):
    if found_inf:
        return scale * backoff, 0
    good_steps += 1
    if good_steps == interval:
        grown = torch.tensor(scale * growth, dtype=torch.float32)
        scale, good_steps = (grown if grown.isfinite() else scale), 0
    return scale, good_steps


def scaled_step(weights, loss, scale, lr, max_norm):
    gradients = [g.double() / scale for g in torch.autograd.grad(loss * scale, weights)]
    found_inf = any(bool((~g.isfinite()).any()) for g in gradients)
    if found_inf:
        return True
    norm = math.sqrt(sum(float((g**2).sum()) for g in gradients))
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.data -= (lr * max_norm / max(norm, max_norm) * gradient).float()
    return False
