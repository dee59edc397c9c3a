# the gradients are made in a closure, which the optimizer calls before it updates
def accumulated_step(model, optimizer, micro_batches, max_norm):
    targets = torch.cat([y.flatten() for _, y in micro_batches])
    count = targets[targets != IGNORED].numel()

    def closure():
        optimizer.zero_grad()
        total = 0.0
        for x, y in micro_batches:
            part = loss_of(model(x), y) / count
            part.backward()
            total += part.item()
        clip(model.parameters(), max_norm)
        return total

    return optimizer.step(closure)
