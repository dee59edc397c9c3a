# gradients from torch.autograd.grad, added up by hand
def accumulated_step(model, optimizer, micro_batches, max_norm):
    weights = list(model.parameters())
    sums = [torch.zeros_like(one) for one in weights]
    count, value = 0, 0.0
    for x, y in micro_batches:
        scores = model(x)
        loss = loss_of(scores, y)
        for total, part in zip(sums, torch.autograd.grad(loss, weights)):
            total += part
        count += int((y != IGNORED).sum())
        value += loss.item()
    for one, total in zip(weights, sums):
        one.grad = total / count
    clip(weights, max_norm)
    optimizer.step()
    return value / count
