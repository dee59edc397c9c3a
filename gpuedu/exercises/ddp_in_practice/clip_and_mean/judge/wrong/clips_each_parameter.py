# loses: clip
# asks: Each parameter was clipped by a norm of its own; there is one for all.
def finish(model, max_norm):
    average(model)
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    norm = torch.cat([g.flatten() for g in grads]).norm().item()
    for g in grads:
        g *= min(1.0, max_norm / g.norm().item())
    return norm
