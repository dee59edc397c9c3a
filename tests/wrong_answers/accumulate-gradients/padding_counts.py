# loses: tokens
# divides by all targets, padding too
def accumulated_step(model, optimiser, micro_batches, max_norm):
    total = sum(y.numel() for _, y in micro_batches)
    optimiser.zero_grad()
    loss = 0.0
    for x, y in micro_batches:
        part = loss_of(model(x), y) / total
        part.backward()
        loss += part.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimiser.step()
    return loss
