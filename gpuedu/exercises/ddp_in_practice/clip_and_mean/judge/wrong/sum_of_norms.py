# loses: clip
# asks: That divides by the sum of the parameters' norms. The norm of all is the root of the sum
#   of their squares.
def finish(model, max_norm):
    average(model)
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    norm = sum(g.norm().item() for g in grads)
    for g in grads:
        g *= min(1.0, max_norm / norm)
    return norm
