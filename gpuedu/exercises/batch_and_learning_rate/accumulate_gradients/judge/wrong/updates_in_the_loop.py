# loses: even
# asks: When have all samples had their say?
def accumulated_step(model, optimiser, micro_batches, max_norm):
    total = sum((y != IGNORED).sum() for _, y in micro_batches)
    loss = 0.0
    for x, y in micro_batches:
        optimiser.zero_grad()
        part = loss_of(model(x), y) / total
        part.backward()
        loss += part.detach()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimiser.step()
    return loss
