# loses: accuracy
# asks: That is the mean of the ranks' accuracies, and they have not as many samples.
def accuracy(model, data, batch):
    mine = Subset(data, range(dist.get_rank(), len(data), dist.get_world_size()))
    hits = 0
    with torch.no_grad():
        for x, y in DataLoader(mine, batch):
            hits += (model(x).argmax(dim=1) == y).sum().item()
    share = torch.tensor(hits / max(len(mine), 1))
    dist.all_reduce(share)
    return (share / dist.get_world_size()).item()
