# must lose: log
def train_ahead(model, optimizer, batches):
    losses, norms, all_scores = [], [], []
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
        all_scores.append(scores.detach().argmax(1))
    targets = torch.stack([t for _, t in batches])
    wrong = ((torch.stack(all_scores) != targets) & (targets >= 0)).sum()
    losses = torch.stack(losses)
    return {"losses": losses, "norms": torch.stack(norms), "wrong": wrong, "best": losses.min()}
