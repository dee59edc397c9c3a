# loses: accuracy
# the training's sampler counts a sample twice
def accuracy(model, data, batch):
    sampler = DistributedSampler(data, shuffle=False)
    counts = torch.zeros(2)
    with torch.no_grad():
        for x, y in DataLoader(data, batch, sampler=sampler):
            hits = (model(x).argmax(dim=1) == y).sum().item()
            counts += torch.tensor([hits, len(y)])
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()
