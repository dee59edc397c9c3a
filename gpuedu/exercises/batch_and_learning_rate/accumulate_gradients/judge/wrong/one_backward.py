# loses: memory
# asks: What forward saved lives until its backward. How many micro-batches' forwards are done
#   before your first backward?
def accumulated_step(model, optimiser, micro_batches, max_norm):
    total = sum((y != IGNORED).sum() for _, y in micro_batches)
    optimiser.zero_grad()
    loss = sum(loss_of(model(x), y) for x, y in micro_batches) / total
    loss.backward()
    loss = loss.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimiser.step()
    return loss
