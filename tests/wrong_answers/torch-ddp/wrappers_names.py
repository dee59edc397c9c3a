# loses: alike
# the state of the wrapper: its names begin with "module."
def train(model, data, epochs, batch, every, optimiser_for):
    ddp = DistributedDataParallel(model)
    optimiser = optimiser_for(ddp.parameters())
    sampler = DistributedSampler(data)
    loader, losses = DataLoader(data, batch, sampler=sampler), []
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        losses.append(train_epoch(ddp, optimiser, list(loader), every))
    return ddp.state_dict(), losses
