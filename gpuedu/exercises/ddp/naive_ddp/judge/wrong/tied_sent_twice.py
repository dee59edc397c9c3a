# loses: bytes
# asks: One parameter has two names here. Does your loop meet it twice?
def average(model, samples):
    total = torch.tensor(float(samples))
    dist.all_reduce(total)
    for _, p in model.named_parameters(remove_duplicate=False):
        if p.requires_grad:
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad * (samples / total)
            dist.all_reduce(p.grad)
