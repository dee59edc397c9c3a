# clears what is left when the next step begins


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
