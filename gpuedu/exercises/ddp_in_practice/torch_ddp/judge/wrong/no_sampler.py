# loses: epochs
# asks: Every rank draws all samples: who gives it its share?
def train(model, data, epochs, batch, every, optimiser_for):
    ddp = DistributedDataParallel(model)
    optimiser = optimiser_for(ddp.parameters())
    loader = DataLoader(data, batch, shuffle=True)
    losses = [train_epoch(ddp, optimiser, list(loader), every) for _ in range(epochs)]
    return ddp.module.state_dict(), losses
