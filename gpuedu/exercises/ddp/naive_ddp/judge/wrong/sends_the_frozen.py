# loses: bytes
# asks: What is frozen has no gradient, and need not be sent.
def average(model, samples):
    total = torch.tensor(float(samples))
    dist.all_reduce(total)
    for p in model.parameters():
        p.grad = torch.zeros_like(p) if p.grad is None else p.grad * (samples / total)
        dist.all_reduce(p.grad)
