# loses: accuracy
# asks: Every rank evaluated all samples: it takes as long as on one.
def accuracy(model, data, batch):
    hits = 0
    with torch.no_grad():
        for x, y in DataLoader(data, batch):
            hits += (model(x).argmax(dim=1) == y).sum().item()
    return hits / len(data)
