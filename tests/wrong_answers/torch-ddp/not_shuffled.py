# loses: epochs
# takes the order of the data in every epoch
def train(model, data, epochs, batch, every, optimiser_for):
    ddp = DistributedDataParallel(model)
    optimiser = optimiser_for(ddp.parameters())
    sampler = DistributedSampler(data, shuffle=False)
    loader, losses = DataLoader(data, batch, sampler=sampler), []
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        losses.append(train_epoch(ddp, optimiser, list(loader), every))
    return ddp.module.state_dict(), losses
