# loses: shared
# asks: It is one parameter with two names. Does your loop meet it twice?
def average(model, samples):
    total = torch.tensor(float(samples))
    dist.all_reduce(total)
    for p in model.parameters():
        if p.requires_grad:
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad * (samples / total)
    for module in model.modules():
        for p in module.parameters(recurse=False):
            if p.requires_grad:
                dist.all_reduce(p.grad)
