# loses: loss
# rank 0 alone calls the all-reduce of the loss
def train_epoch(ddp, optimiser, batches, every):
    totals = torch.zeros(2, dtype=torch.float64)
    for begin in range(0, len(batches), every):
        group = batches[begin : begin + every]
        samples = sum(len(y) for _, y in group)
        optimiser.zero_grad()
        for place, (x, y) in enumerate(group, 1):
            with ddp.no_sync() if place < len(group) else nullcontext():
                loss = torch.nn.functional.cross_entropy(ddp(x), y, reduction="sum")
                (loss / samples).backward()
            totals += torch.tensor([loss.item(), len(y)])
        optimiser.step()
    if dist.get_rank() == 0:
        dist.all_reduce(totals)
    return (totals[0] / totals[1]).item()
