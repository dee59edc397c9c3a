# loses: alike
# takes the batch as that of all ranks together
def train(model, data, epochs, batch, every, optimiser_for):
    ddp = DistributedDataParallel(model)
    optimiser = optimiser_for(ddp.parameters())
    sampler = DistributedSampler(data)
    loader, losses = DataLoader(data, batch // dist.get_world_size(), sampler=sampler), []
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        losses.append(train_epoch(ddp, optimiser, list(loader), every))
    return ddp.module.state_dict(), losses
