# loses: memory
# keeps the scores of all micro-batches, and what they need
def accumulated_step(model, optimiser, micro_batches, max_norm):
    total = sum((y != IGNORED).sum() for _, y in micro_batches)
    scores = [model(x) for x, _ in micro_batches]
    optimiser.zero_grad()
    loss = 0.0
    for score, (_, y) in zip(scores, micro_batches):
        part = loss_of(score, y) / total
        part.backward()
        loss += part.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimiser.step()
    return loss
