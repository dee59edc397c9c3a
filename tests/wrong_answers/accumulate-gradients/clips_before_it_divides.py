# loses: clip
# clips the sum, and divides then
def accumulated_step(model, optimiser, micro_batches, max_norm):
    total = sum((y != IGNORED).sum() for _, y in micro_batches)
    optimiser.zero_grad()
    loss = 0.0
    for x, y in micro_batches:
        part = loss_of(model(x), y)
        part.backward()
        loss += part.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    for weights in model.parameters():
        weights.grad /= total
    optimiser.step()
    return loss / total
