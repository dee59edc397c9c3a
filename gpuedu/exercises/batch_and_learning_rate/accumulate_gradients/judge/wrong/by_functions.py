# loses: memory
# asks: While `torch.func` works it keeps more than `backward` does, which adds to `.grad` by itself.
def accumulated_step(model, optimizer, micro_batches, max_norm):
    weights = {name: p.detach() for name, p in model.named_parameters()}
    total = sum(int((y != IGNORED).sum()) for _, y in micro_batches)

    def part(weights, x, y):
        return loss_of(torch.func.functional_call(model, weights, (x,)), y) / total

    gradients = {name: torch.zeros_like(p) for name, p in weights.items()}
    value = 0.0
    for x, y in micro_batches:
        new, loss = torch.func.grad_and_value(part)(weights, x, y)
        value += loss.item()
        for name, gradient in new.items():
            gradients[name] += gradient
    for name, p in model.named_parameters():
        p.grad = gradients[name]
    clip(model.parameters(), max_norm)
    optimizer.step()
    return value
