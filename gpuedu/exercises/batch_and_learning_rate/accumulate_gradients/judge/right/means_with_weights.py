# means, each with its share of the targets; clips by hand
def accumulated_step(model, optimizer, micro_batches, max_norm):
    counts = [int((y != IGNORED).sum()) for _, y in micro_batches]
    for weights in model.parameters():
        weights.grad = None
    losses = []
    for (x, y), count in zip(micro_batches, counts):
        if count:
            part = loss_of(model(x), y, "mean") * (count / sum(counts))
            part.backward()
            losses.append(part.detach())
    gradients = [weights.grad for weights in model.parameters()]
    norm = torch.stack([gradient.square().sum() for gradient in gradients]).sum().sqrt()
    if norm > max_norm:
        for gradient in gradients:
            gradient *= max_norm / norm
    optimizer.step()
    return torch.stack(losses).sum()
