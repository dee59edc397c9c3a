# loses: bytes
# asks: One parameter has two names here. Does your loop meet it twice?
def average(model, samples):
    total = torch.tensor(float(samples))
    dist.all_reduce(total)
    own = [p for m in model.modules() for p in m.parameters(recurse=False) if p.requires_grad]
    for p in own:
        p.grad = torch.zeros_like(p) if p.grad is None else p.grad * (samples / total.item())
    for p in own:
        dist.all_reduce(p.grad)
