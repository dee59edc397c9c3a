# loses: clip
# clips after each micro-batch
def accumulated_step(model, optimiser, micro_batches, max_norm):
    total = sum((y != IGNORED).sum() for _, y in micro_batches)
    optimiser.zero_grad()
    loss = 0.0
    for x, y in micro_batches:
        part = loss_of(model(x), y) / total
        part.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        loss += part.detach()
    optimiser.step()
    return loss
