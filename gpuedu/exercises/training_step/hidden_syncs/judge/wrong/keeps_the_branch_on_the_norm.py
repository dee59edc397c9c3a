# loses: once
# asks: An `if` on a tensor needs its value. What it decides can be computed instead:
#   `torch.where`, `torch.minimum`, `.clamp`.
def train_ahead(model, optimiser, batches):
    losses, norms, wrongs = [], [], []
    for inputs, targets in batches:
        scores = model(inputs)
        loss = torch.nn.functional.cross_entropy(scores, targets, ignore_index=-1)
        optimiser.zero_grad()
        loss.backward()
        norm = norm_of(model)
        if norm > 1:
            for p in model.parameters():
                p.grad /= norm + 1e-6
        optimiser.step()
        losses.append(loss.detach())
        norms.append(norm)
        wrongs.append(((scores.argmax(1) != targets) & (targets >= 0)).sum())
    rows = [torch.stack(losses), torch.stack(norms), torch.stack(wrongs).to(loss)]
    losses, norms, wrongs = torch.stack(rows).tolist()
    return {"losses": losses, "norms": norms, "wrong": sum(wrongs), "best": min(losses)}
