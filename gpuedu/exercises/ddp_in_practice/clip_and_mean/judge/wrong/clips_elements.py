# loses: clip
# asks: Each element was limited. What is limited is the norm of all together.
def finish(model, max_norm):
    average(model)
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    norm = torch.cat([g.flatten() for g in grads]).norm().item()
    torch.nn.utils.clip_grad_value_(model.parameters(), max_norm)
    return norm
