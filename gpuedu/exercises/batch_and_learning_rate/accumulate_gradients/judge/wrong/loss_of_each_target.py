# loses: even
# a loss for each target, not one number
def accumulated_step(model, optimiser, micro_batches, max_norm):
    optimiser.zero_grad()
    for x, y in micro_batches:
        loss = loss_of(model(x), y, "none") / len(y)
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimiser.step()
    return loss
