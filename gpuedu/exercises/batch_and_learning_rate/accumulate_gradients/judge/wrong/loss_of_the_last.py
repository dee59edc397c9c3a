# loses: loss
# asks: That is the last micro-batch's share of it. Where do you add them up?
def accumulated_step(model, optimiser, micro_batches, max_norm):
    total = sum((y != IGNORED).sum() for _, y in micro_batches)
    optimiser.zero_grad()
    for x, y in micro_batches:
        loss = loss_of(model(x), y) / total
        loss.backward()
    loss = loss.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimiser.step()
    return loss
