# loses: norm
# asks: That is the mean of the ranks' norms. A mean is shorter than what it is the mean of.
def finish(model, max_norm):
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    norm = torch.nn.utils.get_total_norm(grads)
    dist.all_reduce(norm)
    average(model)
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return norm.item() / dist.get_world_size()
