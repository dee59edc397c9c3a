# rank 0 adds up and gives back; parameters are sent by hand
def start(model):
    with torch.no_grad():
        for t in [*model.parameters(), *model.buffers()]:
            if dist.get_rank() == 0:
                for peer in range(1, dist.get_world_size()):
                    dist.send(t, peer)
            else:
                dist.recv(t, 0)


def average(model, samples):
    counts = [torch.zeros(1) for _ in range(dist.get_world_size())]
    dist.all_gather(counts, torch.tensor([float(samples)]))
    share = samples / float(sum(counts))
    for p in filter(lambda p: p.requires_grad, model.parameters()):
        grad = torch.zeros_like(p) if p.grad is None else share * p.grad
        dist.reduce(grad, 0)
        dist.broadcast(grad, 0)
        p.grad = grad
