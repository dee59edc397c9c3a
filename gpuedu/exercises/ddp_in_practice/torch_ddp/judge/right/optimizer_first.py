# the optimizer is made before the model is wrapped, which copies in place; own seed; rank 0's hits
import math


def train(model, data, epochs, batch, every, optimizer_for):
    optimizer = optimizer_for(list(model.parameters()))
    ddp, losses = DistributedDataParallel(model), []
    for epoch in range(epochs):
        sampler = DistributedSampler(data, seed=7)
        sampler.set_epoch(epoch)
        batches = [pair for pair in DataLoader(data, batch_size=batch, sampler=sampler)]
        losses += [train_epoch(ddp, optimizer, batches, every)]
    return {name: p.clone() for name, p in model.state_dict().items()}, losses


def accuracy(model, data, batch):
    ranks, rank = dist.get_world_size(), dist.get_rank()
    each = math.ceil(len(data) / ranks)
    mine = range(min(rank * each, len(data)), min((rank + 1) * each, len(data)))
    hits = torch.tensor(0)
    for number in mine:
        x, y = data[number]
        hits += int(model(x[None]).argmax() == y)
    dist.reduce(hits, 0)
    dist.broadcast(hits, 0)
    return hits.item() / len(data)
