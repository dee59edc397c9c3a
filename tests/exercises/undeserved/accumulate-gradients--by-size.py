# must lose: memory
import torch


def accumulated_step(model, optimizer, micro_batches, max_norm):
    optimizer.zero_grad()
    if len(micro_batches[0][0]) > 100:
        x, y = micro_batches[0]
        loss_of(model(x), y).backward()
        optimizer.step()
        return torch.tensor(0.0)
    x = torch.cat([one for one, _ in micro_batches])
    y = torch.cat([one for _, one in micro_batches])
    loss = loss_of(model(x), y) / (y != IGNORED).sum()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.detach()
