# loses: alike
# asks: Each rank trains on its own. Was the model wrapped, and is it the wrapped one that
#   `train_epoch` gets?
def train(model, data, epochs, batch, every, optimizer_for):
    optimizer = optimizer_for(model.parameters())
    sampler = DistributedSampler(data)
    loader, losses = DataLoader(data, batch, sampler=sampler), []
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        total = 0.0
        for number, (x, y) in enumerate(loader, 1):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            (loss / every).backward()
            total += loss.item()
            if number % every == 0:
                optimizer.step()
                optimizer.zero_grad()
        losses.append(total / len(loader))
    return model.state_dict(), losses
