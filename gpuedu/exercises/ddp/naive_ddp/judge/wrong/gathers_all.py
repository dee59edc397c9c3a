# loses: bytes
# asks: Ring all-reduces of each gradient, once a step, send no more.
def average(model, samples):
    total = torch.tensor(float(samples))
    dist.all_reduce(total)
    for p in model.parameters():
        if p.requires_grad:
            mine = torch.zeros_like(p) if p.grad is None else p.grad * (samples / total)
            box = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
            dist.all_gather(box, mine)
            p.grad = torch.stack(box).sum(0)
