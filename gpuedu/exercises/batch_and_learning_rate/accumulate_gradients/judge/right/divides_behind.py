# adds sums up, and divides the gradients behind the loop
def accumulated_step(model, optimizer, micro_batches, max_norm):
    optimizer.zero_grad()
    total, loss = 0, 0.0
    for x, y in micro_batches:
        part = loss_of(model(x), y)
        part.backward()
        loss += part.item()
        total += int((y != IGNORED).sum())
    for weights in model.parameters():
        weights.grad /= total
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss / total
