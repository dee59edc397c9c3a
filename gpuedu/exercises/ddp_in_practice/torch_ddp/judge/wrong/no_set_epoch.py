# loses: epochs
# asks: The sampler has to be told which epoch it is.
def train(model, data, epochs, batch, every, optimiser_for):
    ddp = DistributedDataParallel(model)
    optimiser = optimiser_for(ddp.parameters())
    loader = DataLoader(data, batch, sampler=DistributedSampler(data))
    losses = [train_epoch(ddp, optimiser, list(loader), every) for _ in range(epochs)]
    return ddp.module.state_dict(), losses
