# loses: loss
# asks: The big batch's loss is one number, or a tensor of one.
def accumulated_step(model, optimiser, micro_batches, max_norm):
    total = sum((y != IGNORED).sum() for _, y in micro_batches)
    optimiser.zero_grad()
    for x, y in micro_batches:
        (loss_of(model(x), y) / total).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimiser.step()
