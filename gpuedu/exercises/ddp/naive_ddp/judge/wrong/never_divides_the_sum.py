# loses: equal
# asks: That is weighted by samples, but not divided by how many there are on all ranks.
def average(model, samples):
    for p in model.parameters():
        if p.requires_grad:
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad * samples
            dist.all_reduce(p.grad)
