# ratios of whole tensors, which PyTorch computes in float32
def accumulated_step(model, optimizer, micro_batches, max_norm):
    counts = torch.stack([(y != IGNORED).sum() for _, y in micro_batches])
    optimizer.zero_grad()
    loss = 0.0
    for (x, y), weight in zip(micro_batches, 1 / counts.sum() * torch.ones_like(counts)):
        part = loss_of(model(x), y) * weight
        part.backward()
        loss += part.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss
