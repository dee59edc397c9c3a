# clears what is left when the next step begins


def next_scale(scale, good_steps, found_inf, growth, backoff, interval):
    if found_inf:
        return scale * backoff, 0
    if good_steps + 1 < interval:
        return scale, good_steps + 1
    grown = scale * growth
    return (grown if grown <= torch.finfo(torch.float32).max else scale), 0


def scaled_step(weights, loss, scale, lr, max_norm):
    for weight in weights:
        weight.grad = None
    (loss * scale).backward()
    gradients = [weight.grad / scale for weight in weights]
    row = torch.cat([gradient.flatten() for gradient in gradients])
    found_inf = not row.isfinite().all()
    if not found_inf:
        factor = min(1.0, max_norm / row.norm())
        with torch.no_grad():
            for weight, gradient in zip(weights, gradients, strict=True):
                weight -= lr * factor * gradient
    return found_inf
