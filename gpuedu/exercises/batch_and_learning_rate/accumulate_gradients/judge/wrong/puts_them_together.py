# loses: memory
# asks: What forward saved lives until its backward. How many micro-batches' forwards are done
#   before your first backward?
def accumulated_step(model, optimiser, micro_batches, max_norm):
    x = torch.cat([x for x, _ in micro_batches])
    y = torch.cat([y for _, y in micro_batches])
    optimiser.zero_grad()
    loss = loss_of(model(x), y, "mean")
    loss.backward()
    loss = loss.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimiser.step()
    return loss
