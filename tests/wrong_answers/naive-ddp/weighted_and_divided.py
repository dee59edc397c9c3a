# loses: equal
# the weights add up to 1, and then it is divided once more
def average(model, samples):
    total = torch.tensor(float(samples))
    dist.all_reduce(total)
    for p in model.parameters():
        if p.requires_grad:
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad * samples / total
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()
