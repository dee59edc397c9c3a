# loses: small
# asks: That scales up: what is shorter than `max_norm` stays as it is.
def finish(model, max_norm):
    average(model)
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    norm = sum((g**2).sum() for g in grads).sqrt().item()
    for g in grads:
        g *= max_norm / norm
    return norm
