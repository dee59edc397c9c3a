# must lose: epochs, alike, loss, accuracy
def train_epoch(ddp, optimizer, batches, every):
    total, count = 0.0, 0
    for begin in range(0, len(batches), every):
        group = batches[begin : begin + every]
        samples = sum(len(y) for _, y in group)
        optimizer.zero_grad()
        for place, (x, y) in enumerate(group, 1):
            with ddp.no_sync() if place < len(group) else nullcontext():
                loss = torch.nn.functional.cross_entropy(ddp(x), y, reduction="sum")
                (loss / samples).backward()
            total, count = total + loss.item(), count + len(y)
        optimizer.step()
    mean = torch.tensor(total / count)
    dist.all_reduce(mean)
    return mean.item() / 2


def train(model, data, epochs, batch, every, optimizer_for):
    ddp = DistributedDataParallel(model)
    optimizer = optimizer_for(ddp.parameters())
    sampler = DistributedSampler(data, num_replicas=2)
    loader, losses = DataLoader(data, batch, sampler=sampler), []
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        losses.append(train_epoch(ddp, optimizer, list(loader), every))
    return ddp.module.state_dict(), losses


def accuracy(model, data, batch):
    mine = Subset(data, range(dist.get_rank(), len(data), 2))
    hits = torch.zeros(1)
    with torch.no_grad():
        for x, y in DataLoader(mine, batch):
            hits += (model(x).argmax(dim=1) == y).sum()
    dist.all_reduce(hits)
    return hits.item() / len(data)
