# must lose: log
def train_ahead(model, optimizer, batches):
    losses, norms, wrongs = [], [], []
    size = len(batches[0][1])
    for inputs, targets in batches:
        scores = model(inputs)
        loss = torch.nn.functional.cross_entropy(scores, targets, ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        norms.append(norm_of(model))
        factor = (1 / (norms[-1] + 1e-6)).clamp(max=1)
        for p in model.parameters():
            p.grad *= factor
        optimizer.step()
        losses.append(loss.detach())
        wrongs.append(size - (scores.argmax(1) == targets).sum() - (targets < 0).sum())
    losses = torch.stack(losses)
    return {
        "losses": losses,
        "norms": torch.stack(norms),
        "wrong": torch.stack(wrongs).sum(),
        "best": losses.min(),
    }
