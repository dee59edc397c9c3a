# loses: norm
# asks: That is the largest of the parameters' norms.
def finish(model, max_norm):
    average(model)
    norm = max(p.grad.norm() for p in model.parameters() if p.grad is not None)
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return norm.item()
