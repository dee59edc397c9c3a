def train_ahead(model, optimizer, batches):
    losses, norms, wrongs = [], [], []
    for inputs, targets in batches:
        scores = model(inputs)
        loss = torch.nn.functional.cross_entropy(scores, targets, ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        norm = norm_of(model)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
        norms.append(norm)
        wrongs.append(((scores.argmax(1) != targets) & (targets >= 0)).sum())
    rows = [torch.stack(losses), torch.stack(norms), torch.stack(wrongs).to(loss)]
    losses, norms, wrongs = torch.stack(rows).tolist()
    return {"losses": losses, "norms": norms, "wrong": sum(wrongs), "best": min(losses)}
