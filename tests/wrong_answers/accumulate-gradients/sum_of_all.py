# loses: even
# adds all losses up
def accumulated_step(model, optimiser, micro_batches, max_norm):
    optimiser.zero_grad()
    loss = 0.0
    for x, y in micro_batches:
        part = loss_of(model(x), y)
        part.backward()
        loss += part.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimiser.step()
    return loss
