# sums of samples, divided at the end; whole numbers for the count; handles
def start(model):
    works = [dist.broadcast(p.data, 0, async_op=True) for p in model.parameters()]
    works += [dist.broadcast(b, 0, async_op=True) for b in model.buffers()]
    for work in works:
        work.wait()


def average(model, samples):
    total = torch.tensor([samples])
    dist.all_reduce(total)
    for p in model.parameters():
        if not p.requires_grad:
            continue
        if p.grad is None:
            p.grad = torch.zeros_like(p.data)
        p.grad.mul_(samples)
        dist.all_reduce(p.grad, op=dist.ReduceOp.SUM)
        p.grad.div_(total.item())
