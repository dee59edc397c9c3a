# loses: equal
# a sum over all samples
def average(model, samples):
    for p in model.parameters():
        if p.requires_grad:
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad * samples
            dist.all_reduce(p.grad)
