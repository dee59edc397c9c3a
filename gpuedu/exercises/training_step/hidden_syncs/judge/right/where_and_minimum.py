def train_ahead(model, optimizer, batches):
    losses, norms, wrongs = [], [], []
    for inputs, targets in batches:
        scores = model(inputs)
        loss = torch.nn.functional.cross_entropy(scores, targets.clamp(min=0), reduction="none")
        known = targets >= 0
        loss = torch.where(known, loss, 0.0).sum() / known.sum()
        optimizer.zero_grad()
        loss.backward()
        norm = norm_of(model)
        factor = torch.where(norm > 1, 1 / (norm + 1e-6), 1.0)
        for p in model.parameters():
            p.grad.mul_(factor)
        optimizer.step()
        losses.append(loss.detach())
        norms.append(norm)
        wrongs.append(((scores.argmax(1) != targets) & (targets >= 0)).sum())
        best = losses[0] if len(losses) == 1 else torch.minimum(best, losses[-1])
    log = torch.cat([torch.stack(losses), torch.stack(norms), best.view(1), sum(wrongs).view(1)])
    log, steps = log.cpu().numpy(), len(losses)
    return {
        "losses": log[:steps],
        "norms": log[steps:-2],
        "best": float(log[-2]),
        "wrong": int(log[-1]),
    }
