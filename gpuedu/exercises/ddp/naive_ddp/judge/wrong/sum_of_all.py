# loses: equal
# asks: That is the sum of all gradients, not their mean.
def average(model, samples):
    for p in model.parameters():
        if p.requires_grad:
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad
            dist.all_reduce(p.grad)
